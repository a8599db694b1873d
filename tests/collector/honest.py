"""A sender of single reports who notes how long each takes, until its standard input ends; it prints them as JSON.

    python honest.py PORT COLLECTION FINGERPRINT NAME

It is a process of its own, so that nothing but the collector makes it wait.
"""

import json
import socket
import sys
import threading
import time

from running import exchange, post


def main():
    port, collection, fingerprint, name = sys.argv[1:]
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    times = []
    with socket.create_connection(("127.0.0.1", int(port)), timeout=60) as connection:
        print("ready", flush=True)
        while not ended.is_set():
            started = time.perf_counter()
            assert exchange(connection, post(collection, fingerprint, f"{name}-{len(times)}")) == 200
            times.append(time.perf_counter() - started)
            time.sleep(0.005)
    print(json.dumps(times))


if __name__ == "__main__":
    main()
