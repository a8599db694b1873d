"""The participant's side: check a collection, pay from the ledger, randomize here, send the report.

>>> import discreet as dc
>>> import tempfile
>>> mechanism = dc.mechanism(dc.Context.uniform(["no", "yes"], epsilon="1"))
>>> with tempfile.TemporaryDirectory() as folder:
...     client = dc.client.Client(ledger=f"{folder}/ledger.jsonl", cap="2")
...     report = client.ledger.randomize(mechanism, "yes", dc.random.secure(), question="smoking")
...     report in mechanism.reports(), str(client.ledger.spent)
(True, '1')
"""

from .client import AsyncClient, AsyncCollection, Client, default_ledger
from .collection import Collection, Question
from .uploading import HttpTransport, Receipt, Request, Response, Transport

__all__ = [
    "AsyncClient",
    "AsyncCollection",
    "Client",
    "Collection",
    "HttpTransport",
    "Question",
    "Receipt",
    "Request",
    "Response",
    "Transport",
    "default_ledger",
]


def __dir__() -> list[str]:
    return __all__
