"""Bots that do what bots must not: `hostile.py NAME` (see test_hostile_bots.py)."""

import json
import os
import signal
import sys
import threading
import time


def out(data):
    """Write on standard output, all of it, whatever becomes of it."""
    if isinstance(data, str):
        data = data.encode()
    while data:
        data = data[os.write(1, data) :]


def say(message):
    out(json.dumps(message) + "\n")


def messages():
    for line in sys.stdin:
        yield json.loads(line)


def legal(message):
    return {"id": message["id"], "choose": message["options"][: message["counts"][0]]}


def each_decision(act, ready=None):
    """Be ready, then do `act(message)` at every decision."""
    for message in messages():
        if message["type"] == "hello":
            say(ready or {"type": "ready"})
        elif message["type"] == "decide":
            act(message)


def honest():
    each_decision(lambda message: say(legal(message)))


def forever():
    while True:
        time.sleep(3600)


def silent_at_start():
    forever()


def silent_at_move():
    each_decision(lambda message: forever())


def exits_at_start():
    sys.exit(3)


def exits_in_mid_game():
    def act(message):
        say(legal(message))
        if message["id"] == 3:
            print("I have had enough", file=sys.stderr, flush=True)
            os._exit(0)

    each_decision(act)


def junk_first():
    out("Welcome!\n")
    honest()


def junk_at_move():
    each_decision(lambda message: out("Thinking...\n"))


def endless_line():
    def act(message):
        while True:
            out("x" * 65536)

    each_decision(act)


def endless_lines():
    def act(message):
        while True:
            out('{"type":"note"}\n' * 4096)

    each_decision(act)


def endless_line_at_start():
    while True:
        out("x" * 65536)


def a_note_every_20_ms():
    def act(message):
        while True:
            say({"type": "note"})
            time.sleep(0.02)

    each_decision(act)


def much_on_standard_error():
    for _ in range(2048):
        os.write(2, b"e" * 65535 + b"\n")
    honest()


def endless_standard_error():
    def chatter():
        while True:
            os.write(2, b"e" * 65536)

    threading.Thread(target=chatter, daemon=True).start()
    honest()


def closes_its_output():
    def act(message):
        os.close(1)
        forever()

    each_decision(act)


def byte_by_byte():
    def act(message):
        for byte in json.dumps(legal(message)) + "\r\n":
            out(byte)

    each_decision(act)


def answers_late():
    """Answers a request when the referee has chosen for it, and goes on with the next."""
    late = []
    for message in messages():
        if message["type"] == "hello":
            say({"type": "ready"})
        elif message["type"] == "decide":
            late.append(legal(message))
        elif message["type"] == "fault":
            say(late.pop(0))


def never_reads():
    say({"type": "ready", "events": True})
    forever()


def ignores_sigterm():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    honest()
    forever()


def leaves_a_child_with_its_output():
    def act(message):
        if os.fork() == 0:
            forever()
        os._exit(0)

    each_decision(act)


def daemonises():
    """Leaves a grandchild in a session of its own, and plays on."""
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.close(1)
        forever()
    os.wait()
    honest()


def daemonises_and_forgets_its_environment():
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        sleeper = [sys.executable, "-S", "-c", "import time; time.sleep(3600)", sys.argv[2]]
        os.execve(sys.executable, sleeper, {})
    os.wait()
    honest()


def crowd():
    """Children of children, some of them stopped."""
    for _ in range(3):
        if os.fork() == 0:
            os.setpgid(0, 0)
            if os.fork() == 0:
                os.kill(os.getpid(), signal.SIGSTOP)
            forever()
    honest()


def nearly_the_limit():
    limit = 0.0
    for message in messages():
        if message["type"] == "hello":
            limit = message["limits"]["move_ms"] / 1000
            say({"type": "ready"})
        elif message["type"] == "decide":
            time.sleep(0.9 * limit)
            say(legal(message))


def looks_around():
    """Tells on standard error what a bot can see of the referee."""
    parent = os.getppid()
    seen = {"arguments": sys.argv, "environment": dict(os.environ), "descriptors": []}
    for name in os.listdir("/proc/self/fd"):
        try:
            seen["descriptors"].append(os.readlink(f"/proc/self/fd/{name}"))
        except OSError:
            continue
    for what in ("environ", "maps", "mem", "fd"):
        try:
            if what == "fd":
                os.listdir(f"/proc/{parent}/fd")
            else:
                with open(f"/proc/{parent}/{what}", "rb") as file:
                    file.read(1)
            seen[what] = "open"
        except OSError:
            seen[what] = "closed"
    try:
        with open("/proc/self/fd/1", "rb"):
            seen["own output"] = "open"
    except OSError:
        seen["own output"] = "closed"
    print(json.dumps(seen), file=sys.stderr, flush=True)
    honest()


globals()[sys.argv[1]]()
