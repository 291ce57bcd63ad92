#!/usr/bin/env python3
"""Measures what a kernel's stamps add to a round trip: the files kernel_stamps.txt and kernel_stamps_busy.txt beside this one.

One process sends UDP datagrams of 64 bytes to another over this machine's loopback, which sends each back; the next goes when the last one is
back. Both stamps are the kernel's own (SO_TIMESTAMPING, software): when it hands the datagram to the driver, and when it has the answer. There
is no wire and no interrupt of a NIC in it, so the shortest round trip is taken for what the code needs, and what is beyond it for noise.
`chrt -f 10` keeps what else runs on the machine out of it; BUSY processes that compute without end, beside both and without `chrt`, are a busy host.
Prints `ns percent` lines. Linux, Python 3; usage: chrt -f 10 kernel_stamps.py [PINGS], kernel_stamps.py PINGS BUSY"""
import os
import signal
import socket
import struct
import sys

PINGS = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
BUSY = int(sys.argv[2]) if len(sys.argv) > 2 else 0
TIMESTAMPING = 37  # SO_TIMESTAMPING and SCM_TIMESTAMPING
FLAGS = 1 << 1 | 1 << 3 | 1 << 4 | 1 << 11  # TX and RX in software, reported, the stamp alone in the error queue
SHARES = [0, 0.1, 1, 5, 10, 25, 50, 75, 90, 95, 98, 99, 99.5, 99.9, 99.99, 100]


def stamp(ancillary):
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == TIMESTAMPING:
            seconds, ns = struct.unpack("qq", data[:16])
            return seconds * 10**9 + ns
    return None


def spin():
    child = os.fork()
    if child == 0:
        while True:
            pass
    return child


def main():
    busy = [spin() for _ in range(BUSY)]
    try:
        measure()
    finally:
        for child in busy:
            os.kill(child, signal.SIGKILL)


def measure():
    echo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    echo.bind(("127.0.0.1", 0))
    child = os.fork()
    if child == 0:
        while True:
            data, peer = echo.recvfrom(64)
            if not data.strip(b"\0"):
                os._exit(0)
            echo.sendto(data, peer)
    ping = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    ping.setsockopt(socket.SOL_SOCKET, TIMESTAMPING, FLAGS)
    ping.connect(echo.getsockname())
    ping.settimeout(1)
    rtts = []
    while len(rtts) < PINGS:
        ping.send(b"\1" * 64)
        _, ancillary, _, _ = ping.recvmsg(64, 256)
        back = stamp(ancillary)
        # The kernel queued the departure's stamp before the datagram reached the other process.
        _, ancillary, _, _ = ping.recvmsg(64, 256, socket.MSG_ERRQUEUE)
        left = stamp(ancillary)
        # The kernel takes a while to begin with its stamps.
        if back and left:
            rtts.append(back - left)
    ping.send(bytes(64))
    os.waitpid(child, 0)
    rtts.sort()
    busy = f", {BUSY} busy processes" if BUSY else ""
    print(f"# ns percent: round trips over {rtts[0]} ns, the shortest of {PINGS}; Linux {os.uname().release}, {os.cpu_count()} cores{busy}")
    for share in SHARES:
        at = min(len(rtts) - 1, int(len(rtts) * share / 100))
        print(rtts[at] - rtts[0], f"{share:g}")


main()
