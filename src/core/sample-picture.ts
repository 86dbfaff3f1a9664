/**
 * A picture of a red mug, 64 × 64 pixels of WebP, as a `data:` URI: small enough for the examples of the API's document,
 * which find something with it also in a store without other products and without a network.
 */
export const SAMPLE_PICTURE = [
  'data:image/webp;base64,',
  'UklGRp4BAABXRUJQVlA4IJIBAADwCwCdASpAAEAAPxF2sVKsJySirBVcyYAiCWgAz9HctanlAN/zKeKM+YZmKmWb9/35g/CrZOhP',
  'gULK4JERsGXOuamIR2MtFyOujxIQr4elCPdughSpR4rM3HBXVVaAetf2zkie/yWIAAD+9gDeFtbMzTX1lKXS62/ahFuv+A2h6J5e',
  'WZJeGuXYeW76eLVjhoJCye7vEE48hBh+Ek03CQPPzedrtbbN8YBI0l9XgNt6aPZVf8VLcqNKyExcEaruGXbs8/y4H8Qd/9vf1gOi',
  '2Yu0e4uJoD+otaM58a/2BTskOIx3URjY82+SZlQLLxMMlqE7C4uXVA2X1PhUM5lLvk5QnrVRAZ+SvW1QCnzF+Kv7KJ1jKc9K0Cka',
  'xvM5l8nRJC6zu76UZ8FxmiM28va+u/lW6u4G22wSiY1e5OisCFz6DJH5qfiv+guWKk47W93gchPAqrTJ0kSuODeZYw9EgZvsGHgH',
  'I88zb4iNg3yiuclTvOpv6rbY+XJUi5732/ahNn2DHA4pRewcFy66yD7bnyiGIAA=',
].join('')
