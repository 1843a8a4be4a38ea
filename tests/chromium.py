"""Driving Debian's chromium over its DevTools pipe, with the standard library alone."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
    "about:blank",
)
_PATIENCE_S = 60.0  # a hung browser fails a test instead of holding it for ever


class Chromium:
    """One browser with one page; `requests`, `errors` and `dialogs` collect what the page does."""

    def __init__(self) -> None:
        if CHROMIUM is None:
            raise RuntimeError("there is no chromium on this machine")
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.dialogs: list[str] = []
        self._id = 0
        self._session: str | None = None
        self._unread = b""
        self._messages: list[dict[str, Any]] = []
        self._profile = tempfile.mkdtemp(prefix="gonuts-chromium-")
        to_read, self._write = _pipe()
        self._read, to_write = _pipe()

        def place() -> None:
            os.dup2(to_read, 3)
            os.dup2(to_write, 4)

        self._process = subprocess.Popen(
            [CHROMIUM, *_FLAGS[:-1], f"--user-data-dir={self._profile}", _FLAGS[-1]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=place,
            pass_fds=(3, 4),
        )
        os.close(to_read)
        os.close(to_write)
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        attached = self.send("Target.attachToTarget", targetId=page, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.send(f"{domain}.enable")
        # Whether the one window has the focus by now, the page shall act as if it had.
        self.send("Emulation.setFocusEmulationEnabled", enabled=True)

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the browser and remove its profile."""
        os.close(self._write)  # the browser ends when its pipe does
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)
        shutil.rmtree(self._profile, ignore_errors=True)

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Send one DevTools command and give its result."""
        self._id += 1
        message: dict[str, Any] = {"id": self._id, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]
        while True:
            answer = self._next()
            if answer.get("id") == self._id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def open(self, path: Path, fragment: str = "") -> None:
        """Open a file and wait until it has loaded."""
        self.send("Page.navigate", url="about:blank")
        self._until("Page.loadEventFired")
        self.requests.clear()
        self.send("Page.navigate", url=path.resolve().as_uri() + fragment)
        self._until("Page.loadEventFired")

    def run(self, expression: str) -> Any:
        """The JSON value of a JavaScript expression in the page (promises are awaited)."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press and release one key."""
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            what = {"type": kind, "key": key, "modifiers": 8 if shift else 0}
            self.send("Input.dispatchKeyEvent", **what, **(text if kind == "keyDown" else {}))

    def swipe(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Touch at `start`, slide to `end`, let go."""
        for kind, points in (("touchStart", [start]), ("touchMove", [end]), ("touchEnd", [])):
            touches = [{"x": x, "y": y} for x, y in points]
            self.send("Input.dispatchTouchEvent", type=kind, touchPoints=touches)

    def click(self, selector: str) -> None:
        """Click with the mouse in the middle of an element that is on the screen."""
        box = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); "
            "e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect(); "
            "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send(
                "Input.dispatchMouseEvent",
                type=kind, x=box[0], y=box[1], button="left", clickCount=1,
            )  # fmt: skip

    def screen(
        self, width: int, height: int, *, phone: bool = False, paper: bool = False, **media: str
    ) -> None:
        """Set the size of the window and media features such as `prefers_color_scheme`.

        With `paper` the page is laid out as for printing, on paper so wide.
        """
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=phone,
        )  # fmt: skip
        self.send("Emulation.setTouchEmulationEnabled", enabled=phone)
        features = [{"name": k.replace("_", "-"), "value": v} for k, v in media.items()]
        kind = "print" if paper else ""
        self.send("Emulation.setEmulatedMedia", media=kind, features=features)

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Save what the window shows, or the whole page, as a PNG."""
        shot = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self) -> bytes:
        """The page as it is printed."""
        return base64.b64decode(self.send("Page.printToPDF", printBackground=True)["data"])

    def _until(self, method: str) -> None:
        while True:
            message = self._next()
            self._note(message)
            if message.get("method") == method:
                return

    def _note(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Runtime.exceptionThrown":
                self.errors.append(json.dumps(params["exceptionDetails"]))
            case "Runtime.consoleAPICalled":
                self.errors.append(json.dumps(params["args"]))
            case "Log.entryAdded":
                self.errors.append(params["entry"]["text"])
            case "Page.javascriptDialogOpening":
                self.dialogs.append(params["message"])

    def _next(self) -> dict[str, Any]:
        while not self._messages:
            ready, _, _ = select.select([self._read], [], [], _PATIENCE_S)
            data = os.read(self._read, 1 << 20) if ready else b""
            if not data:
                raise RuntimeError("chromium does not answer")
            *whole, self._unread = (self._unread + data).split(b"\0")
            self._messages += map(json.loads, whole)
        return self._messages.pop(0)


def _pipe() -> tuple[int, int]:
    """A pipe whose ends stay clear of the numbers 3 and 4, which the browser's ends will have."""
    ends = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        with contextlib.suppress(OSError):
            os.close(end)
    return high[0], high[1]
