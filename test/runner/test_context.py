"""What `platform` and `context` offer, and the HTTP calls behind them."""

import json
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from support import Platform, Refused, RunnerCase, function

from answers import answer
from context_client import ContextClient

CALLS: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
    "records.create('lead', {'name': 'A'})": ("records.create", ["lead", {"name": "A"}], {}),
    "records.create('lead', [{'a': 1}, {'a': 2}])": ("records.create", ["lead", [{"a": 1}, {"a": 2}]], {}),
    "records.update('lead', {'id': '1'})": ("records.update", ["lead", {"id": "1"}], {}),
    "records.update('lead', '1', {'a': 2})": ("records.update", ["lead", "1", {"a": 2}], {}),
    "records.delete('lead', ['1', '2'])": ("records.delete", ["lead", ["1", "2"]], {}),
    "query.sql('SELECT 1', [1])": ("query.sql", ["SELECT 1", [1]], {}),
    "query.sql('SELECT 1', params=[1])": ("query.sql", ["SELECT 1"], {"params": [1]}),
    "query.docdb('lead', [{'$match': {}}])": ("query.docdb", ["lead", [{"$match": {}}]], {}),
    "communications.send_sms('+49', 'hi')": ("communications.send_sms", ["+49", "hi"], {}),
    "communications.send_email({'to': 'a'})": ("communications.send_email", [{"to": "a"}], {}),
    "communications.notifications.notify([])": ("communications.notifications.notify", [[]], {}),
    "notifications.notify([])": ("communications.notifications.notify", [[]], {}),
    "communications.notifications.mark_read({})": ("communications.notifications.mark_read", [{}], {}),
    "workflows.run_function('a.py', {'x': 1})": ("workflows.run_function", ["a.py", {"x": 1}], {}),
    "workflows.run_workflow('id', {})": ("workflows.run_workflow", ["id", {}], {}),
    "integrations.stripe.request('GET', '/v1', json={})": (
        "integrations.request",
        ["stripe", "GET", "/v1"],
        {"json": {}},
    ),
    "integrations['my-crm'].request('GET', '/')": ("integrations.request", ["my-crm", "GET", "/"], {}),
    "metadata.get_config('rate', default=1)": ("metadata.get_config", ["rate"], {"default": 1}),
}


class MembersTest(RunnerCase):
    def test_each_member_makes_its_call(self) -> None:
        for text, expected in CALLS.items():
            with self.subTest(text):
                platform = Platform()
                result = self.output(f"return await platform.{text}", platform)
                self.assertEqual(platform.calls, [expected])
                self.assertEqual(result, {"method": expected[0], "args": expected[1], "kwargs": expected[2]})

    def test_arguments_may_be_dates_and_decimals(self) -> None:
        platform = Platform()
        body = "import datetime, decimal\n---\nawait platform.query.sql('x', [datetime.date(2024, 1, 2), decimal.Decimal('1.5')])"
        self.output(body, platform)
        self.assertEqual(platform.calls[0][1], ["x", ["2024-01-02", "1.5"]])

    def test_arguments_without_a_json_form_are_an_error_of_the_code(self) -> None:
        for value in ("object()", "float('nan')", "{1}", "b''"):
            platform = Platform()
            error = self.error(f"await platform.query.sql('x', [{value}])", platform)
            self.assertEqual((error["type"], error["line"], platform.calls), ("TypeError", 3, []))

    def test_a_refused_call_raises_platform_error_with_its_code(self) -> None:
        class Refusing(Platform):
            def answer(self, method: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
                raise Refused(422, "validation_failed", [{"loc": ["body"], "msg": "too long", "type": "x"}])

        body = (
            "try:\n    await platform.records.create('lead', {})\nexcept PlatformError as error:\n"
            "    return [str(error), error.message, error.code, error.details]"
        )
        details = [{"loc": ["body"], "msg": "too long", "type": "x"}]
        self.assertEqual(self.output(body, Refusing()), ["too long", "too long", "validation_failed", details])
        error = self.error("await platform.records.create('lead', {})", Refusing())
        self.assertEqual((error["kind"], error["type"], error["code"]), ("exception", "PlatformError", "validation_failed"))

    def test_a_call_over_one_mebibyte_is_refused_before_it_is_sent(self) -> None:
        platform = Platform()
        error = self.error("await platform.query.sql('x' * 1024 * 1024)", platform)
        self.assertEqual((error["code"], platform.calls), ("payload_too_large", []))

    def test_the_1001st_call_is_refused(self) -> None:
        platform = Platform()
        answer_ = self.run_body("for i in range(1001): await platform.query.sql('x')", platform)
        self.assertEqual((answer_["error"]["kind"], answer_["error"]["code"]), ("limit", "too_many_calls"))
        self.assertEqual(len(platform.calls), 1000)

    def test_a_call_that_is_not_awaited_is_a_warning(self) -> None:
        platform = Platform()
        answer_ = self.run_body("platform.records.create('lead', {})", platform)
        self.assertEqual(platform.calls, [])
        self.assertEqual([line["level"] for line in answer_["lines"]], ["warning"])
        self.assertIn("records.create was not awaited", answer_["lines"][0]["message"])

    def test_log_lines_have_time_level_and_order(self) -> None:
        answer_ = self.run_body(
            "platform.log('a')\nawait platform.log('b', 'error')\nplatform.log('c', level='warn')\n"
            "platform.log('d', 'loud')\nplatform.log({'e': 1}, 'DEBUG')\nprint('f', 1, sep='-')"
        )
        found = [(line["message"], line["level"]) for line in answer_["lines"]]
        expected = [("a", "info"), ("b", "error"), ("c", "warning"), ("d", "info"), ("{'e': 1}", "debug"), ("f-1", "info")]
        self.assertEqual(found, expected)
        for line in answer_["lines"]:
            self.assertRegex(line["at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")

    def test_user_is_a_dictionary(self) -> None:
        self.assertEqual(self.output("return [platform.user['id'], platform.user.get('none')]"), ["u1", None])

    def test_calls_of_gather_run_at_the_same_time(self) -> None:
        class Slow(Platform):
            def answer(self, method: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
                time.sleep(0.1)
                return args[0]

        body = (
            "import asyncio\nasync def ask(platform, name): return await platform.query.sql(name)\n---\n"
            "return await asyncio.gather(*[ask(platform, str(i)) for i in range(4)])"
        )
        started = time.monotonic()
        self.assertEqual(self.output(body, Slow()), ["0", "1", "2", "3"])
        self.assertLess(time.monotonic() - started, 0.35)

    def test_a_call_that_takes_too_long_ends_with_the_execution(self) -> None:
        class Slow(Platform):
            def answer(self, method: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
                time.sleep(1)

        started = time.monotonic()
        self.assertEqual(self.error("await platform.query.sql('x')", Slow(), timeout_ms=200)["kind"], "timeout")
        self.assertLess(time.monotonic() - started, 0.3)
        self.assert_answers()


class AwaitablesTest(RunnerCase):
    def test_gather_gives_results_in_order_and_raises_the_first_error(self) -> None:
        above = (
            "import asyncio\nasync def wait(seconds, value):\n    await asyncio.sleep(seconds)\n"
            "    if value is None: raise ValueError('none')\n    return value\n---\n"
        )
        cases: dict[str, Any] = {
            "return await asyncio.gather(wait(0.02, 1), wait(0.01, 2), wait(0, 3))": [1, 2, 3],
            "return await asyncio.gather()": [],
            "return [str(e) for e in await asyncio.gather(wait(0, None), return_exceptions=True)]": ["none"],
            "return await asyncio.gather(asyncio.gather(wait(0, 1)), asyncio.sleep(0, 2))": [[1], 2],
            "one = wait(0, 1)\nreturn await asyncio.gather(one, one)": [1, 1],
            "try: await asyncio.gather(wait(0.01, None), wait(0.02, 1))\nexcept ValueError as e: return str(e)": "none",
        }
        for body, expected in cases.items():
            with self.subTest(body):
                self.assertEqual(self.output(above + body), expected)

    def test_what_is_not_awaitable_is_a_type_error(self) -> None:
        for body in ("await 5", "import asyncio\n---\nawait asyncio.gather(1)", "await [platform.log('x')]"):
            self.assertEqual(self.error(body)["type"], "TypeError")
        self.assertEqual(self.error("import asyncio\n---\nawait asyncio.sleep(float('nan'))")["type"], "ValueError")

    def test_asynchronous_generators_and_context_managers_work(self) -> None:
        body = (
            "import asyncio\nclass Timer:\n    async def __aenter__(self):\n        await asyncio.sleep(0)\n"
            "        return self\n    async def __aexit__(self, *error): await asyncio.sleep(0)\n"
            "async def pages(platform):\n    for i in range(3): yield await platform.query.sql(str(i))\n---\n"
            "async with Timer():\n    return [page['args'][0] async for page in pages(platform)]"
        )
        self.assertEqual(self.output(body), ["0", "1", "2"])

    def test_a_coroutine_cannot_be_awaited_twice(self) -> None:
        body = "async def f(): return 1\n---\nc = f()\nawait c\nawait c"
        self.assertEqual(self.error(body)["type"], "RuntimeError")


class TriggerTest(RunnerCase):
    trigger: ClassVar[dict[str, Any]] = {
        "event": "before_update",
        "object": "lead",
        "new_map": {"1": {"id": "1", "status": "New", "name": "A"}},
        "old_map": {"1": {"id": "1", "status": "Old", "name": "A"}},
    }

    def run_trigger(self, body: str, platform: Platform | None = None) -> dict[str, Any]:
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        code = f"async def execute(context):\n{lines}"
        return self.run_code(code, platform, form="trigger", trigger=self.trigger)

    def test_a_trigger_changes_its_records_and_gives_all_of_them_back(self) -> None:
        answer_ = self.run_trigger("for record in context.new_map.values(): record['name'] = 'B'")
        self.assertEqual(answer_["new_map"], {"1": {"id": "1", "status": "New", "name": "B"}})
        self.assertIsNone(answer_["output"])

    def test_is_changed_compares_a_field_of_both_maps(self) -> None:
        body = (
            "return [context.is_changed('1', 'status'), context.is_changed('1', 'name'), context.is_changed('1', 'x'),"
            " context.is_changed('2', 'status'), context.event, context.object, context.user['id']]"
        )
        self.assertEqual(self.run_trigger(body)["output"], [True, False, False, False, "before_update", "lead", "u1"])

    def test_trigger_error_refuses_with_message_and_field(self) -> None:
        error = self.run_trigger("raise TriggerError('Not now', 'status')")["error"]
        self.assertEqual((error["kind"], error["message"], error["field"]), ("refused", "Not now", "status"))
        error = self.run_trigger("raise TriggerError('Not now')")["error"]
        self.assertEqual((error["kind"], error["message"], "field" in error), ("refused", "Not now", False))

    def test_a_trigger_has_the_members_of_the_platform(self) -> None:
        platform = Platform()
        self.run_trigger("await context.records.create('task', {})\ncontext.log('x')", platform)
        self.assertEqual([call[0] for call in platform.calls], ["records.create"])

    def test_trigger_error_is_not_available_in_a_function(self) -> None:
        self.assertEqual(self.check(function("raise TriggerError('x')"))[0]["rule"], "name")

    def test_maps_without_a_json_form_are_refused(self) -> None:
        for body in ("context.new_map['1']['x'] = {1}", "context.new_map.clear()\ncontext.new_map[('a',)] = 1", "context.new_map['1'] = 5"):
            self.assertEqual(self.run_trigger(body)["error"]["kind"], "invalid_output")


class Server(BaseHTTPRequestHandler):
    """The platform's context route."""

    protocol_version = "HTTP/1.1"
    seen: ClassVar[list[tuple[str, dict[str, str], Any]]] = []
    replies: ClassVar[list[Any]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}, json.loads(body)))
        status, reply = self.replies.pop(0) if self.replies else (200, {"result": 1})
        if reply is None:
            self.close_connection = True
            return
        self.close_connection = b"last" in reply if isinstance(reply, bytes) else "last" in reply
        data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        if status in (301, 302, 307):
            self.send_header("location", "/other")
        self.end_headers()
        self.wfile.write(data)

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionResetError:
            return

    def log_message(self, format: str, *args: Any) -> None: ...


class HttpTest(RunnerCase):
    server: ClassVar[ThreadingHTTPServer]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
        cls.server.daemon_threads = True
        threading.Thread(target=cls.server.serve_forever, args=(0.05,), daemon=True).start()
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)
        cls.client = ContextClient()
        cls.addClassCleanup(cls.client.close)

    def setUp(self) -> None:
        Server.seen.clear()
        Server.replies.clear()

    def ask(self, body: str, *replies: Any, token: str = "secret-token") -> dict[str, Any]:
        Server.replies.extend(replies)
        url = f"http://127.0.0.1:{self.server.server_port}/v1/internal/context?stage=x"
        event = {
            "kind": "run",
            "form": "function",
            "name": "a.py",
            "code": function(body),
            "kwargs": {},
            "user": {},
            "timeout_ms": 5_000,
            "memory_mb": 64,
            "context": {"url": url, "token": token},
        }
        return answer(event, 10_000, self.supervisor, self.client)

    def test_a_call_is_one_post_with_the_token(self) -> None:
        found = self.ask("return await platform.query.sql('SELECT 1', params=['é'])", (200, {"result": [{"a": 1}]}))
        self.assertEqual((found["output"], found["calls"]), ([{"a": 1}], 1))
        ((path, headers, body),) = Server.seen
        self.assertEqual(path, "/v1/internal/context?stage=x")
        self.assertEqual(headers["authorization"], "Bearer secret-token")
        self.assertEqual(headers["content-type"], "application/json")
        self.assertEqual(body, {"method": "query.sql", "args": ["SELECT 1"], "kwargs": {"params": ["é"]}})

    def test_each_execution_uses_its_own_token(self) -> None:
        for token in ("one", "two"):
            self.ask("await platform.query.sql('x')", token=token)
        self.assertEqual([seen[1]["authorization"] for seen in Server.seen], ["Bearer one", "Bearer two"])

    def test_a_platform_error_is_raised_with_its_code(self) -> None:
        found = self.ask("await platform.query.sql('x')", (403, {"detail": "No.", "code": "forbidden", "request_id": "r"}))
        self.assertEqual((found["error"]["message"], found["error"]["code"]), ("No.", "forbidden"))

    def test_replies_that_are_not_the_platform_s_are_unavailable(self) -> None:
        for reply in ((502, b"<html>"), (200, b"nothing"), (302, {"result": 1}), (204, b""), (0, None)):
            with self.subTest(reply):
                found = self.ask("await platform.query.sql('x')", reply)
                self.assertEqual(found["error"]["code"], "unavailable")
        self.assertEqual({seen[0] for seen in Server.seen}, {"/v1/internal/context?stage=x"})

    def test_a_connection_that_the_platform_closed_is_not_used_again(self) -> None:
        self.ask("await platform.query.sql('x')", (200, {"result": 1, "last": True}))
        time.sleep(0.05)
        self.assertEqual(self.ask("return await platform.query.sql('x')", (200, {"result": 2}))["output"], 2)

    def test_a_call_whose_connection_broke_is_not_sent_again(self) -> None:
        self.ask("await platform.query.sql('x')")
        found = self.ask("return await platform.records.create('lead', {})", (0, None))
        self.assertEqual((found["error"]["code"], len(Server.seen)), ("unavailable", 2))

    def test_a_reply_that_is_no_valid_json_is_an_error_of_the_call(self) -> None:
        found = self.ask("await platform.query.sql('x')", (200, b"{nothing}"))
        self.assertEqual((found["status"], found["error"]["code"]), ("failed", "unavailable"))

    def test_a_reply_over_its_limit_is_an_error_of_the_call(self) -> None:
        found = self.ask("await platform.query.sql('x')", (200, b'{"result": "' + b"x" * 7_000_000 + b'"}'))
        self.assertEqual(found["error"]["code"], "reply_too_large")

    def test_methods_outside_the_table_are_not_sent(self) -> None:
        found = self.ask("await platform.integrations.stripe.create_charge(amount=5)")
        self.assertEqual((found["error"]["code"], Server.seen), ("unknown_method", []))

    def test_a_check_makes_no_call_and_needs_no_context(self) -> None:
        event = {"kind": "check", "form": "function", "code": "async def execute(platform): pass"}
        self.assertEqual(answer(event, 10_000, self.supervisor, self.client), {"issues": []})


if __name__ == "__main__":
    unittest.main()
