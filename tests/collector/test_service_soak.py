"""The long form of slow clients: 1,000 of them, headers and bodies, while good ones are timed. Run by ``make soak``."""

import os
import threading
import time

import pytest
from running import answer_of, drip, exchange, post, running, slow

pytestmark = pytest.mark.skipif(not os.environ.get("SOAK"), reason="the long form; run by make soak")


def test_a_thousand_slow_clients_are_closed_in_time_and_good_ones_are_served(tmp_path, capsys):
    with running(tmp_path) as collector:
        made = collector.made()
        begun = time.monotonic()
        connections = slow(collector, made, 1_000)
        opened = time.monotonic()
        stop = threading.Event()
        dripping = threading.Thread(target=drip, args=(connections, stop), daemon=True)
        dripping.start()
        times, ends = [], []
        with collector.connect() as good:
            while time.monotonic() - opened < 8:
                started = time.perf_counter()
                assert exchange(good, post(made["id"], made["fingerprint"], f"good-{len(times)}")) == 200
                times.append(time.perf_counter() - started)
                time.sleep(0.005)
        for connection in connections:
            connection.settimeout(20)
            try:
                ends.append(answer_of(connection))
            except ConnectionError:
                ends.append(None)
        closed = time.monotonic() - opened
        stop.set()
        for connection in connections:
            connection.close()
        p99 = sorted(times)[int(0.99 * len(times))]
        with capsys.disabled():
            print(
                f"\n1,000 slow clients opened in {opened - begun:.1f} s, all closed {closed:.1f} s after the last; "
                f"{len(times)} good uploads, p99 {1e3 * p99:.1f} ms; ends {ends.count(408)} x 408, "
                f"{ends.count(None)} x closed"
            )
        assert set(ends) <= {408, None}
        assert closed < 15
        assert p99 < 0.1
