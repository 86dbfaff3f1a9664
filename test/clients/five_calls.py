"""The five calls of the README, by the client of Python: five_calls.py URL CLIENT_ID CLIENT_SECRET PHOTO. Prints what they gave as JSON."""

import base64
import json
import sys

sys.path.insert(0, sys.path[0] + "/../../scripts/clients/python")

from lookalike import Lookalike, LookalikeError  # noqa: E402

url, client_id, client_secret, photo = sys.argv[1:]
with Lookalike(url, client_id=client_id, client_secret=client_secret) as shop:
    demo = shop.post("/v1/products/demo")
    words = shop.post("/v1/search/text", json={"query": "red mug", "limit": 5})
    metadata = {"name": "My first product", "category": "mugs", "price": 14.5, "shelf": "A3"}
    with open(photo, "rb") as file:
        product = shop.post("/v1/products", form={"product_id": "sku ü", "image": file, "metadata": metadata})
    with open(photo, "rb") as file:
        picture = shop.post("/v1/search", form={"image": file, "limit": 5, "price_max": 50, "explain": True})
    try:
        shop.get("/v1/products/{product_id}", path_values={"product_id": "a/b"})
        refusal = "none"
    except LookalikeError as error:
        refusal = error.code
    listed = [one["product_id"] for one in shop.pages("/v1/products", "products", query={"limit": 15})]
    shop.delete("/v1/products/{product_id}", path_values={"product_id": "sku ü"})
    with open(photo, "rb") as file:
        picture_url = "data:image/webp;base64," + base64.b64encode(file.read()).decode()
    bulk = [{"product_id": "bulk-1", "image_url": picture_url, "metadata": {"name": "x"}}]
    job = shop.wait_for_job(shop.post("/v1/products/bulk", json={"products": bulk}, idempotency_key="python")["job_id"], every=0.2)
    shop.delete("/v1/products/{product_id}", path_values={"product_id": "bulk-1"})
    print(
        json.dumps(
            {
                "demo": len(demo["products"]),
                "words": words["results"][0]["product_id"],
                "indexed": product["status"],
                "picture": picture["results"][0]["metadata"].get("shelf"),
                "refusal": refusal,
                "listed": len(listed),
                "job": job["status"],
            }
        )
    )
