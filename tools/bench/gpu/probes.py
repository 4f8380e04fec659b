"""Small kernels in PTX, for what no emitted kernel shows by itself: the clock, launches, barriers, clusters. A driver that
takes no PTX, as the tests' stand-in, or a card without clusters, has None for a figure."""
import ctypes
import statistics

HOLD_CYCLES, SPIN_CYCLES, BARRIERS, LAUNCHES = 60000, 400000, 2000, 200
BLOCK_SHARED = 160 << 10  # of which a processor has room for one


def meeting(name, barrier):
    """A kernel that times barriers, each the lines |barrier|."""
    return f""".visible .entry {name}(.param .u64 out, .param .u64 count) {{
  .reg .u64 %rd<9>;
  .reg .pred %p;
  ld.param.u64 %rd0, [out];
  ld.param.u64 %rd1, [count];
  mov.u64 %rd2, 0;
{barrier}  mov.u64 %rd3, %clock64;
again:
{barrier}  add.u64 %rd2, %rd2, 1;
  setp.lt.u64 %p, %rd2, %rd1;
  @%p bra again;
  mov.u64 %rd4, %clock64;
  sub.u64 %rd5, %rd4, %rd3;
  st.global.u64 [%rd0], %rd5;
  ret;
}}
"""


BASE = """.version 7.0
.target sm_80
.address_size 64
.visible .entry spin(.param .u64 out, .param .u64 least) {
  .reg .u64 %rd<9>;
  .reg .pred %p;
  ld.param.u64 %rd0, [out];
  ld.param.u64 %rd1, [least];
  mov.u64 %rd2, %globaltimer;
  mov.u64 %rd3, %clock64;
again:
  mov.u64 %rd4, %clock64;
  sub.u64 %rd5, %rd4, %rd3;
  setp.lt.u64 %p, %rd5, %rd1;
  @%p bra again;
  mov.u64 %rd6, %globaltimer;
  sub.u64 %rd7, %rd6, %rd2;
  st.global.u64 [%rd0], %rd5;
  st.global.u64 [%rd0+8], %rd7;
  ret;
}
.visible .entry nothing() {
  ret;
}
""" + meeting("meet", "  bar.sync 0;\n")

CLUSTERS = """.version 7.8
.target sm_90
.address_size 64
.visible .entry early() {
  griddepcontrol.launch_dependents;
  griddepcontrol.wait;
  ret;
}
.visible .entry hold(.param .u64 least) {
  .reg .u64 %rd<6>;
  .reg .pred %p;
  ld.param.u64 %rd1, [least];
  mov.u64 %rd3, %clock64;
again:
  mov.u64 %rd4, %clock64;
  sub.u64 %rd5, %rd4, %rd3;
  setp.lt.u64 %p, %rd5, %rd1;
  @%p bra again;
  ret;
}
""" + meeting("meet_cluster", "  barrier.cluster.arrive.aligned;\n  barrier.cluster.wait.aligned;\n")


class Attribute(ctypes.Structure):
    """CUlaunchAttribute."""

    _fields_ = [("id", ctypes.c_uint), ("pad", ctypes.c_uint), ("value", ctypes.c_uint * 16)]


class Config(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(Attribute)), ("n_attributes", ctypes.c_uint)]


CLUSTER_DIMENSION, PROGRAMMATIC_SERIALIZATION, MAX_DYNAMIC_SHARED = 4, 6, 8


class Probes:
    """|clock| is a kernel of its own clock and the card's; each figure None where it could not be had."""

    def __init__(self, card):
        self.card, self.out = card, None
        self.kernels = {}
        if not card.is_stand_in:
            self.load(BASE, ("spin", "nothing", "meet"))
            self.load(CLUSTERS, ("early", "hold", "meet_cluster"))
            self.out = card.allocate(256)

    def load(self, text, names):
        module = ctypes.c_void_p()
        try:
            self.card.call("cuModuleLoadData", ctypes.byref(module), text.encode() + b"\0")
            for name in names:
                function = ctypes.c_void_p()
                self.card.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
                self.kernels[name] = function
        except RuntimeError as error:
            print(f"# no {', '.join(names)}: {error}")

    def launch(self, name, blocks, threads, arguments=(), cluster=0, early=False, shared=0):
        values = [ctypes.c_uint64(value) for value in arguments]
        pointers = (ctypes.c_void_p * max(len(values), 1))(*[ctypes.addressof(value) for value in values])
        attributes = (Attribute * 2)()
        config = Config((blocks, 1, 1), (threads, 1, 1), shared, self.card.stream, attributes, 0)
        for identifier, value in ((CLUSTER_DIMENSION, cluster), (PROGRAMMATIC_SERIALIZATION, early)):
            if value:
                attributes[config.n_attributes].id = identifier
                attributes[config.n_attributes].value[0] = int(value)
                if identifier == CLUSTER_DIMENSION:
                    attributes[config.n_attributes].value[1:3] = [1, 1]
                config.n_attributes += 1
        self.card.call("cuLaunchKernelEx", ctypes.byref(config), self.kernels[name], pointers, None)

    def read(self, count):
        values = (ctypes.c_uint64 * count)()
        self.card.call("cuMemcpyDtoHAsync_v2", values, ctypes.c_uint64(self.out), ctypes.c_size_t(8 * count),
                       self.card.stream)
        self.card.synchronize()
        return list(values)

    def clock(self):
        """Hertz, right behind what is on the stream."""
        if "spin" not in self.kernels:
            return None
        self.launch("spin", 1, 1, (self.out, SPIN_CYCLES))
        cycles, nanoseconds = self.read(2)
        return cycles / nanoseconds * 1e9 if nanoseconds else None

    def launch_seconds(self, early):
        """From one kernel to the next, of kernels that do nothing."""
        name = "early" if early else "nothing"
        if name not in self.kernels:
            return None
        return self.card.time([lambda: self.launch(name, 1, 32, early=early)], count=LAUNCHES)

    def barrier(self, cluster=0):
        """Cycles of one, of 256 threads or of a cluster of blocks of as many."""
        name = "meet_cluster" if cluster else "meet"
        if name not in self.kernels:
            return None
        self.launch(name, cluster or 1, 256, (self.out, BARRIERS), cluster=cluster)
        return self.read(1)[0] / BARRIERS

    def filled(self, cluster, processors):
        """Percent of the processors whose blocks, one a processor, run at the same time in such clusters."""
        if "hold" not in self.kernels:
            return None
        self.card.call("cuFuncSetAttribute", self.kernels["hold"], MAX_DYNAMIC_SHARED, BLOCK_SHARED)

        def seconds(clusters):
            return statistics.median(self.card.elapsed(lambda: self.launch(
                "hold", clusters * cluster, 32, (HOLD_CYCLES,), cluster=cluster, shared=BLOCK_SHARED))
                for _ in range(5))

        one, clusters = seconds(1), processors // cluster
        while clusters > 1 and seconds(clusters) > 1.5 * one:
            clusters -= 1
        return 100 * clusters * cluster // processors
