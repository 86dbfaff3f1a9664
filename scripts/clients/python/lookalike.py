"""Client of Lookalike, the self-hosted visual product search. One file; it needs httpx.

    from lookalike import Lookalike

    shop = Lookalike("https://search.shop.example", client_id="…", client_secret="…")
    for hit in shop.post("/v1/search/text", json={"query": "red mug", "limit": 5})["results"]:
        print(hit["product_id"], hit["similarity_score"])

Every operation of the API is a method and a path; /docs of the service describes them. Tokens, pages, refusals for the moment and stores that have
moved to another node are taken care of.
"""

from __future__ import annotations

import json as jsonlib
import random
import threading
import time
from typing import Any, BinaryIO, Iterator, Mapping
from urllib.parse import quote

import httpx

__version__ = "0.0.0"

# A token is renewed before it ends, so that it does not end on the way.
_RENEW_BEFORE_S = 60
_WAIT_START_S = 0.5
_HOPS_MAX = 3


class LookalikeError(Exception):
    """What the service has answered in place of success.

    code stays from version to version ("not_found"); /errors of the service lists them. request_id names the request in its log.
    """

    def __init__(self, status: int, answer: Mapping[str, Any], request_id: str | None) -> None:
        super().__init__(answer.get("message") or f"The service answered {status}")
        self.status = status
        self.code: str = answer.get("error") or "unknown"
        self.details: dict[str, Any] = answer.get("details") or {}
        self.request_id = request_id


class Lookalike:
    """A service, and who calls it: client_id with client_secret of a store, or an api_key. Threads may share one.

    retries: how often a request is sent again that the service has refused for the moment.
    wait_max: the longest wait before that, in seconds.
    """

    def __init__(
        self,
        url: str,
        *,
        client_id: str | None = None,
        client_secret: str | None = None,
        api_key: str | None = None,
        retries: int = 4,
        wait_max: float = 60,
        timeout: float = 60,
        client: httpx.Client | None = None,
    ) -> None:
        if not url.startswith(("https://", "http://")):
            raise ValueError("url must begin with https:// or http://")
        if (client_id is None or client_secret is None) == (api_key is None):
            raise ValueError("Give client_id and client_secret, or api_key")
        self._base = url.rstrip("/")
        self._pair = (client_id, client_secret)
        self._api_key = api_key
        self._retries = retries
        self._wait_max = wait_max
        self._http = client or httpx.Client(timeout=timeout)
        self._token: tuple[str, float] | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Lookalike:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, **options: Any) -> Any:
        return self.call("GET", path, **options)

    def post(self, path: str, **options: Any) -> Any:
        return self.call("POST", path, **options)

    def put(self, path: str, **options: Any) -> Any:
        return self.call("PUT", path, **options)

    def patch(self, path: str, **options: Any) -> Any:
        return self.call("PATCH", path, **options)

    def delete(self, path: str, **options: Any) -> Any:
        return self.call("DELETE", path, **options)

    def call(self, method: str, path: str, **options: Any) -> Any:
        """Calls an operation, and returns its answer; None for one without content. The options are those of raw()."""
        answer = self.raw(method, path, **options)
        return answer.json() if answer.content else None

    def raw(
        self,
        method: str,
        path: str,
        *,
        path_values: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        json: Any = None,
        form: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> httpx.Response:
        """Calls an operation, and returns the answer as it came.

        path_values: what stands for the braces of the path: {"product_id": "sku-1"}.
        form: sent as multipart; bytes and open files as files, dicts and lists as JSON, everything else as text.
        idempotency_key: lets a POST be sent again after a lost answer; the service does the work once.

        Raises LookalikeError for every answer that is none of success, httpx.TransportError where none came.
        """
        for name, value in (path_values or {}).items():
            path = path.replace("{" + name + "}", quote(value, safe=""))
        more = {"Idempotency-Key": idempotency_key} if idempotency_key is not None else {}
        files = _read_form(form or {})
        is_safe = method not in ("POST", "PATCH") or idempotency_key is not None
        return self._insist(
            method,
            path,
            is_safe,
            lambda: {
                "params": {name: _to_text(value) for name, value in (query or {}).items() if value is not None},
                "headers": {"Authorization": f"Bearer {self._read_token()}", **more, **(headers or {})},
                **({"json": json} if json is not None else {}),
                **({"files": files} if form is not None else {}),
            },
        )

    def pages(self, path: str, entries: str, *, query: Mapping[str, Any] | None = None, **options: Any) -> Iterator[Any]:
        """Goes through every entry of a list, page by page. entries: the field that has them, "products"."""
        cursor = None
        while True:
            page = self.get(path, query={**(query or {}), "cursor": cursor}, **options)
            yield from page[entries]
            cursor = page.get("next_cursor")
            if not cursor:
                return

    def wait_for_job(self, job_id: str, *, every: float = 1) -> dict[str, Any]:
        """Waits until a job is done, and returns it, also if some of its products failed."""
        while True:
            job = self.get("/v1/jobs/{job_id}", path_values={"job_id": job_id})
            if job["status"] != "processing":
                return job
            time.sleep(every)

    def _read_token(self) -> str:
        if self._api_key is not None:
            return self._api_key
        with self._lock:
            if self._token is None or time.monotonic() >= self._token[1]:
                client_id, client_secret = self._pair
                form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret}
                granted = self._insist("POST", "/oauth/token", True, lambda: {"data": form}).json()
                life = granted["expires_in"]
                until = time.monotonic() + life - min(_RENEW_BEFORE_S, life / 2)
                self._token = (granted["access_token"], until)
            return self._token[0]

    def _insist(self, method: str, path: str, is_safe: bool, make: Any) -> httpx.Response:
        """Sends a request until it is answered for good. is_safe: whether it may be sent again when nobody knows what became of it."""
        tries, hops, has_renewed = 0, 0, False
        while True:
            try:
                answer = self._http.request(method, self._base + path, **make())
            except httpx.TransportError:
                if not is_safe or tries >= self._retries:
                    raise
                time.sleep(_back_off(tries))
                tries += 1
                continue
            if answer.is_success:
                return answer
            error = _read_error(answer)
            elsewhere = error.details.get("url")
            if answer.status_code == 421 and _is_node(elsewhere, self._base) and hops < _HOPS_MAX:
                self._base, self._token, hops = elsewhere.rstrip("/"), None, hops + 1
            elif error.code == "token_expired" and self._api_key is None and not has_renewed:
                self._token, has_renewed = None, True
            elif answer.status_code in (429, 503) and tries < self._retries:
                after = answer.headers.get("retry-after", "")
                seconds = float(after) if after.isdigit() else _back_off(tries)
                if seconds > self._wait_max:
                    raise error
                tries += 1
                time.sleep(seconds)
            else:
                raise error


def _back_off(tries: int) -> float:
    """Twice as long each time, and never at the same moment as others."""
    return _WAIT_START_S * 2**tries * random.uniform(0.5, 1)


def _is_node(url: Any, base: str) -> bool:
    """Whether a secret may follow a store to an address: never from https to http."""
    return isinstance(url, str) and url.startswith("https://" if base.startswith("https://") else ("https://", "http://"))


def _read_error(answer: httpx.Response) -> LookalikeError:
    try:
        body = answer.json()
    except ValueError:
        body = {}
    return LookalikeError(answer.status_code, body if isinstance(body, dict) else {}, answer.headers.get("x-request-id"))


def _to_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return jsonlib.dumps(value) if isinstance(value, (dict, list)) else str(value)


def _read_form(form: Mapping[str, Any]) -> list[tuple[str, tuple[str | None, bytes | str]]]:
    """Files are read at once, so that they can be sent again. A part without a file name is a field."""
    parts: list[tuple[str, tuple[str | None, bytes | str]]] = []
    for name, value in form.items():
        if isinstance(value, (bytes, bytearray)):
            parts.append((name, (name, bytes(value))))
        elif hasattr(value, "read"):
            parts.append((name, (name, _read_file(value))))
        elif value is not None:
            parts.append((name, (None, _to_text(value))))
    return parts


def _read_file(file: BinaryIO) -> bytes:
    return file.read()
