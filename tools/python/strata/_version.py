"""The version, that of the compiler whose sources this lies in."""
VERSION = "0.1.0"
