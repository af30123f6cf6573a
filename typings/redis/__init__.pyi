from typing import Any

class Redis:
    @classmethod
    def from_url(cls, url: str, **options: Any) -> Any: ...
