"""Ordinary functions give the expected results."""

import copy
import json
import unittest
from pathlib import Path
from typing import Any

from support import Platform, Refused, RunnerCase

ORDERS: list[dict[str, Any]] = [
    {"id": "o1", "customer_id": "c1", "amount": 1200.5, "status": "paid", "items": 3},
    {"id": "o2", "customer_id": "c2", "amount": 80, "status": "open", "items": 1},
    {"id": "o3", "customer_id": "c1", "amount": 450.25, "status": "open", "items": 2},
    {"id": "o4", "customer_id": "c3", "amount": 999.99, "status": "cancelled", "items": 5},
]
CREATED = ["2024-01-05T10:00:00+00:00", "2024-02-10T08:30:00+00:00", "2024-03-01T00:00:00+00:00"]
CONTACTS: list[dict[str, Any]] = [
    {"id": "c1", "name": "Asha Rao", "email": "Asha.Rao@Example.com ", "phone": "+91 98450 12345"},
    {"id": "c2", "name": "Bruno Díaz", "email": "bruno@example.org", "phone": "0034-600-111-222"},
    {"id": "c3", "name": "chen wei", "email": None, "phone": "13800138000"},
]
for order, created in zip(ORDERS, [*CREATED, "2024-03-15T23:59:59+00:00"]):
    order["created_at"] = created
for contact, tags, birthday in zip(CONTACTS, [["vip", "north"], [], ["north"]], ["1990-02-28", None, "1985-12-31"]):
    contact.update(tags=tags, birthday=birthday)
CONFIG: dict[str, Any] = {
    "currency": "INR",
    "tax_rate": "0.18",
    "reminder_days": 7,
    "timezone": "Asia/Kolkata",
    "regions": {"north": "DEL", "south": "BLR"},
}
DOCUMENTS: list[dict[str, Any]] = [
    {"_id": "d1", "type": "note", "body": "Call back", "meta": {"n": 1}},
    {"_id": "d2", "type": "task", "body": "Ship it", "meta": {"n": 2}},
]
USER = {"id": "u1", "email": "manager@example.com", "name": "Mira", "roles": ["manager"], "tenant_id": "t1"}


class Shop(Platform):
    """A small shop with four orders and three contacts."""

    created = 0

    def answer(self, method: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return copy.deepcopy(self._answer(method, args, kwargs))

    def _answer(self, method: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        match method, args:
            case "records.create", [_, data]:
                if data.get("name") == "DUPLICATE":
                    raise Refused(409, "CONFLICT", "record already exists")
                self.created += 1
                return {"id": f"rec_{self.created}", **data}
            case "records.update", [_, "missing", _]:
                raise Refused(404, "NOT_FOUND", "record not found")
            case "records.update", [_, record_id, changes]:
                return {"id": record_id, **changes}
            case "records.delete", [_, record_id]:
                return {"id": record_id, "deleted": True}
            case "query.sql", [query, *parameters]:
                return self._rows(query.lower(), parameters[0] if parameters else [])
            case "query.docdb", [_, condition]:
                return [each for each in DOCUMENTS if all(each.get(name) == condition[name] for name in condition)]
            case "communications.send_sms", []:
                return {"status": "queued", "to": kwargs["to"]}
            case "communications.notifications.notify", _:
                return {"ok": True}
            case "workflows.run_workflow", [name, _]:
                return {"run_id": "wf_1", "name": name}
            case "workflows.run_function", [_, inputs]:
                return {"result": inputs}
            case "metadata.get_config", [name, *default]:
                return CONFIG.get(name, default[0] if default else None)
            case _:
                _, provider, operation = method.split(".")
                return {"provider": provider, "op": operation, "args": args, "kwargs": kwargs}

    def _rows(self, query: str, parameters: list[Any]) -> list[dict[str, Any]]:
        if "boom" in query:
            raise Refused(400, "QUERY_ERROR", 'syntax error at or near "boom"')
        rows = ORDERS if "orders" in query else CONTACTS
        return [row for row in rows if "customer_id = $1" not in query or row["customer_id"] == parameters[0]]


class BenignTest(RunnerCase):
    def test_each_function_of_the_corpus_gives_its_expected_result(self) -> None:
        lines = Path(__file__).with_name("benign.jsonl").read_text("utf-8").splitlines()
        self.assertEqual(len(lines), 81)
        for line in lines:
            case: dict[str, Any] = json.loads(line)
            with self.subTest(case["name"]):
                shop = Shop()
                answer = self.run_code(case["code"], shop, kwargs=case["kwargs"], user=USER)
                self.assertEqual(answer["status"], "completed", answer.get("error"))
                self.assertEqual(answer["output"], case["expect"])
                self.assertEqual(answer["calls"], len(shop.calls))
                # The corpus counts log lines as calls.
                printed = case["code"].count("print(")
                self.assertEqual(len(shop.calls) + len(answer["lines"]) - printed, case["calls"])


if __name__ == "__main__":
    unittest.main()
