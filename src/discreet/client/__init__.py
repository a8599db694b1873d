"""The participant's side: check a collection, pay from the ledger, randomize here, send the report."""

from .asynchronous import AsyncClient, AsyncCollection
from .client import Client, default_ledger
from .collection import Collection
from .desk import Receipt
from .transport import HttpTransport, Request, Response, Transport

__all__ = [
    "AsyncClient",
    "AsyncCollection",
    "Client",
    "Collection",
    "HttpTransport",
    "Receipt",
    "Request",
    "Response",
    "Transport",
    "default_ledger",
]


def __dir__() -> list[str]:
    return __all__
