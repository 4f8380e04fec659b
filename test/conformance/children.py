"""Functions carried out in processes of their own, which may crash."""
import os
import pickle
import signal
import time
import traceback

SECONDS = 300


class Failed(Exception):
    """What happened to a process that did not return its function's result."""


class _Child:
    def __init__(self, function, folder, seconds):
        os.makedirs(folder, exist_ok=True)
        self._path = os.path.join(folder, "result")
        self._start = time.monotonic()
        self.pid = os.fork()
        if not self.pid:
            self._carry_out(function, seconds)

    def _carry_out(self, function, seconds):
        signal.alarm(seconds)
        try:
            result = function()
        except Exception:
            result = Failed(traceback.format_exc())
        with open(self._path, "wb") as file:
            pickle.dump(result, file)
        os._exit(0)

    def ended(self, status):
        """The function's result and how many seconds it took."""
        seconds = time.monotonic() - self._start
        if status:
            return Failed(f"the process ended with status {status}"), seconds
        with open(self._path, "rb") as file:
            return pickle.load(file), seconds


def carry_out(work, processes, seconds=SECONDS):
    """Carries out functions, given as (key, folder, function); yields (key, result or Failed, seconds) as they end. A
    result travels through a file in the folder. No function takes longer than |seconds|, 0 being no bound."""
    waiting, running = list(work), {}
    while waiting or running:
        while waiting and len(running) < processes:
            key, folder, function = waiting.pop(0)
            child = _Child(function, folder, seconds)
            running[child.pid] = key, child
        pid, status = os.wait()
        key, child = running.pop(pid)
        yield key, *child.ended(status)
