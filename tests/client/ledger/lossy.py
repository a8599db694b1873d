"""A file system in memory that crashes at a chosen step and forgets what was not synced."""

from __future__ import annotations

from contextlib import contextmanager


class Crash(BaseException):
    """The process, or the machine, stops here."""


class File:
    def __init__(self) -> None:
        self.content = b""
        self.durable = b""


class LossyDisk:
    """Every call is a step; at step `crash_at` there is a `Crash`, perhaps in the middle of a write."""

    def __init__(self, random) -> None:
        self.random = random
        self.names: dict = {}
        self.durable_names: dict = {}
        self.steps, self.crash_at, self.held = 0, None, False

    def _step(self) -> bool:
        """True if this step is the last."""
        self.steps += 1
        return self.steps == self.crash_at

    @contextmanager
    def locked(self, path):
        assert not self.held
        self.held = True
        try:
            yield
        finally:
            self.held = False

    def read(self, path):
        return self.names[path].content if path in self.names else None

    def create(self, path, content):
        file = self.names[path] = File()
        self._write(file, content)

    def append(self, path, content):
        self._write(self.names[path], content)

    def _write(self, file, content):
        last = self._step()
        part = self.random.choice([0, self.random.randrange(len(content)), len(content)]) if last else len(content)
        file.content += content[:part]
        if last:
            raise Crash

    def cut(self, path, length):
        if self._step():
            raise Crash
        self.names[path].content = self.names[path].content[:length]

    def rename(self, old, new):
        if self._step():
            raise Crash
        self.names[new] = self.names.pop(old)

    def sync(self, path):
        if self._step():
            raise Crash
        self.names[path].durable = self.names[path].content

    def sync_folder(self, path):
        if self._step():
            raise Crash
        self.durable_names = dict(self.names)

    # -- what may happen after a crash ------------------------------------------------------------
    def killed(self):
        """The process is gone, and the system still has everything it was given."""
        self.crash_at = None

    def lose_power(self):
        """What was synced is there; of the rest, any part: names old or new, contents cut anywhere."""
        self.crash_at = None
        for path in sorted({*self.names, *self.durable_names}):
            if self.names.get(path) is not self.durable_names.get(path):
                kept = self.random.choice([self.names, self.durable_names]).get(path)
                self.durable_names.pop(path, None)
                if kept is not None:
                    self.durable_names[path] = kept
        self.names = dict(self.durable_names)
        for file in dict.fromkeys(self.names[path] for path in sorted(self.names)):
            file.content = file.durable = self._survives(file)

    def _survives(self, file):
        old, new = file.durable, file.content
        if new.startswith(old):
            return new[: self.random.randint(len(old), len(new))]
        if old.startswith(new):  # it was cut, and the cut may not have come through
            return self.random.choice([old, new])
        shared = next(i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
        return self.random.choice([old, new[: self.random.randint(shared, len(new))]])


class ForgetfulDisk(LossyDisk):
    """A control: a sync covers only what this process has written, not what one that died before has left."""

    def __init__(self, random) -> None:
        super().__init__(random)
        self.written: set = set()

    def _write(self, file, content):
        self.written.add(file)
        super()._write(file, content)

    def sync(self, path):
        if self._step():
            raise Crash
        if self.names[path] in self.written:
            self.names[path].durable = self.names[path].content

    def killed(self):
        super().killed()
        self.written.clear()

    def lose_power(self):
        super().lose_power()
        self.written.clear()
