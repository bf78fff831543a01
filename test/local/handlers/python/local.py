"""A stand-in for functions/runner: does what an event tells it to."""

import json
import os
import sys
import time

calls = 0
for line in sys.stdin:
    job = json.loads(line)
    event = job["event"]
    calls += 1
    answer: object = None
    match event.get("do"):
        case "environment":
            answer = dict(os.environ)
        case "calls":
            answer = {"calls": calls, "pid": os.getpid()}
        case "hold":
            # Begins and ends with files.
            if "begun" in event:
                open(event["begun"], "w").close()
            while not os.path.exists(event["until"]):
                time.sleep(0.005)
            answer = {"pid": os.getpid()}
        case "spin":
            while True:
                pass
        case "exit":
            os._exit(3)
        case "children":
            if os.fork() == 0:
                time.sleep(600)
            answer = {"group": os.getpgid(0)}
        case "noise":
            print("this is no answer", flush=True)
            time.sleep(60)
        case "log":
            print("to the log", file=sys.stderr, flush=True)
        case "raise":
            print(
                json.dumps({"id": job["id"], "error": {"type": "ValueError", "message": "as asked"}}), flush=True
            )
            continue
        case "large":
            answer = "x" * 7_000_000
        case _:
            answer = {"event": event, "timeout_ms": job["timeout_ms"]}
    print(json.dumps({"id": job["id"], "answer": answer}), flush=True)
