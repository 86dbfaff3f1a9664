/** The parts of `/openapi.json` that do not come from the routes. */
export const apiDocument = (version: string) => ({
  info: {
    title: 'Lookalike',
    version,
    description: [
      'Visual product search for online stores: index products with their pictures, then find them by picture, by words',
      'or by both.\n\n',
      'Get a token at `POST /oauth/token` and send it as `Authorization: Bearer …`. Every error has a stable code in',
      '`error`, explained at [/errors](/errors). Timestamps are UTC in ISO 8601; sizes are bytes.',
    ].join(' '),
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  tags: [
    { name: 'Authentication', description: 'Credentials for access tokens' },
    { name: 'Products', description: 'The catalogue' },
    { name: 'Search', description: 'Find products by picture and by words' },
    { name: 'Operation', description: 'Health and versions' },
  ],
  components: {
    securitySchemes: { bearer: { type: 'http' as const, scheme: 'bearer', bearerFormat: 'JWT' } },
  },
})
