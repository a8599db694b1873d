"""Invitations: sent with the report where they are asked for, the same at every try, and shown nowhere else."""

import asyncio
import json
import logging

import pytest

import discreet as dc
from discreet.client.addresses import invitation_of
from discreet.client.promise import INVITED
from discreet.core.errors import InvalidInput, Refused

TOKEN = "0123456789abcdef-4711"
SPENT = json.dumps({"code": "not_invited"}).encode()


@pytest.fixture
def collector(Collector, survey):
    return Collector(survey, access="invitation")


def invitations(collector):
    return [request.headers.get("invitation") for request in collector.seen if request.method == "POST"]


def hidden(client, collector, *more):
    """True if nothing but the header of uploads shows the token."""
    sent = [request.path.encode() + request.body for request in collector.seen]
    gets = [str(request.headers) for request in collector.seen if request.method == "GET"]
    kept = [client.ledger.path.read_text(), client.ledger.export(), repr(client.ledger.entries), repr(client)]
    return TOKEN not in str([sent, gets, kept, *more])


def test_an_invitation_goes_along_and_is_shown_nowhere(client, collector, url, caplog):
    caplog.set_level(logging.DEBUG)
    collection = client.open(url)
    assert collection.needs_invitation
    assert INVITED in collection.promise
    receipt = collection.answer(3, invitation=TOKEN)
    assert (receipt.state, invitations(collector)) == ("accepted", [TOKEN])
    assert hidden(client, collector, receipt, receipt.as_dict(), collection, caplog.text)
    assert collection.answer(3).state == "accepted"  # nothing is sent, and so nothing is needed
    assert len(collector.uploads) == 1


def test_an_invitation_may_be_in_the_link(client, collector, url):
    collection = client.open(f"{url}#invitation={TOKEN}")
    assert (collection.name, collection.needs_invitation) == (url, False)
    assert collection.answer(3).state == "accepted"
    assert invitations(collector) == [TOKEN]
    assert hidden(client, collector, collection, client.ledger.collections)


def test_an_invitation_that_is_given_goes_before_that_of_the_link(client, collector, url):
    client.open(f"{url}#invitation=another").answer(3, invitation=TOKEN)
    assert invitations(collector) == [TOKEN]


def test_every_try_has_the_same_invitation_also_after_a_crash(make_client, collector, url, Reply):
    collector.replies["/survey/reports"] = [Reply(503)]
    receipt = make_client().open(url).answer(3, invitation=TOKEN)
    assert (receipt.state, invitations(collector)) == ("queued", [TOKEN] * 5)
    del collector.replies["/survey/reports"]
    (again,) = make_client(cap=None).flush()
    assert (again.state, again.upload, again.sent) == ("accepted", receipt.upload, receipt.sent)
    assert invitations(collector) == [TOKEN] * 6


def test_without_an_invitation_one_line_says_so_and_nothing_is_spent(client, collector, url):
    with pytest.raises(Refused) as caught:
        client.open(url).answer(3)
    assert str(caught.value) == f"{url} needs an invitation, and none was given; no report was made"
    assert (client.ledger.spent, collector.uploads) == (0, {})


def test_a_spent_invitation_leaves_the_report_for_another_one(client, collector, url, Reply):
    collector.replies["/survey/reports"] = [Reply(403, {"Content-Type": "application/problem+json"}, SPENT)]
    collection = client.open(url)
    receipt = collection.answer(3, invitation="spent")
    assert (receipt.state, receipt.status, receipt.code) == ("refused", 403, "not_invited")
    assert receipt.reason.startswith("the invitation is missing, unknown or used up; the report is kept")
    assert client.flush() == []
    with pytest.raises(Refused, match="needs an invitation"):
        collection.answer(3)
    del collector.replies["/survey/reports"]
    again = collection.answer(3, invitation=TOKEN)
    assert (again.state, again.sent, client.ledger.spent) == ("accepted", receipt.sent, 1)
    assert again.upload != receipt.upload


def test_an_open_collection_gets_no_invitation(client, collector, url):
    del collector.document["access"]
    for address, given in ((url, TOKEN), (f"{url}#invitation={TOKEN}", None)):
        with pytest.raises(Refused) as caught:
            client.open(address).answer(3, invitation=given)
        assert str(caught.value).startswith("this collection is open")
        assert TOKEN not in str(caught.value)
    assert (client.ledger.spent, collector.uploads) == (0, {})
    collector.document["access"] = "open"
    assert client.open(f"{url}#other").answer(3).state == "accepted"
    assert invitations(collector) == [None]


@pytest.mark.parametrize("access", ["closed", None, ["open"], ""])
def test_an_access_that_is_not_known_is_refused(client, collector, url, access):
    collector.document["access"] = access
    with pytest.raises(Refused, match="must be one of open, invitation"):
        client.open(url)


@pytest.mark.parametrize(
    "address", ["http://far.example/c", "nonsense", "https://a.example:0/", "https://a.example/../c", "https://us er/"]
)
def test_no_error_about_a_link_repeats_its_invitation(client, address):
    with pytest.raises(Refused) as caught:
        client.open(f"{address}#invitation={TOKEN}")
    assert TOKEN not in str(caught.value)


def test_a_link_holds_one_invitation_in_its_fragment_or_none():
    assert invitation_of(f"https://a.example/#invitation={TOKEN}") == TOKEN
    for none in ("", "#", "#invitation", "#other=1", "#x&invitation=1", f"?invitation={TOKEN}", "#Invitation=1"):
        assert invitation_of(f"https://a.example/{none}") is None
    for wrong in ("", "a b", "a&b=c", "a#b", "a%20b", "a" * 129, "a\n"):
        with pytest.raises(InvalidInput, match="must be 1 to 128") as caught:
            invitation_of(f"https://a.example/#invitation={wrong}")
        assert not wrong or wrong not in str(caught.value)


def test_the_client_of_asyncio_sends_it_too(make_client, collector, url):
    client = make_client(kind=dc.client.AsyncClient)

    async def take_part():
        return await (await client.open(url)).answer(3, invitation=TOKEN)

    assert asyncio.run(take_part()).state == "accepted"
    assert invitations(collector) == [TOKEN]
