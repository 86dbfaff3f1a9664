import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { SAMPLE_PICTURE } from '../../../core/sample-picture.ts'
import { sizeInWords } from '../../../core/text.ts'
import { ANY_KEY, named } from '../../../http/openapi/named.ts'
import { Moment, moment, PAGE_END, pageQuery } from '../../../http/paging.ts'
import { upload } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'

/** One of the ways in which a product can be bought, of contract 2.1. */
const Variant = named(
  'ProductVariant',
  t.Object(
    {
      sku: t.Optional(t.String()),
      name: t.Optional(t.String()),
      color: t.Optional(t.String()),
      price: t.Optional(t.Number()),
      in_stock: t.Optional(t.Boolean()),
      image_url: t.Optional(t.String({ description: 'The address of one of the product’s pictures.' })),
      url: t.Optional(t.String()),
    },
    { ...ANY_KEY },
  ),
)

/** Contract 2.1 and further keys with a meaning. Unknown keys are kept and can be filtered. */
export const Metadata = named(
  'ProductMetadata',
  t.Object(
    {
      name: t.Optional(t.String()),
      category: t.Optional(t.String()),
      category_path: t.Optional(
        t.Array(text({ maxLength: LIMITS.filterTextCharsMax }), {
          maxItems: LIMITS.categoryPathMax,
          description:
            'The levels above the category, as `["Clothing", "Clothing > Hoodies"]`: `category` finds the product by each of them, too.',
        }),
      ),
      brand: t.Optional(t.String()),
      price: t.Optional(t.Number({ description: 'The regular price in major units of `currency`.' })),
      color_name: t.Optional(t.String()),
      colors: t.Optional(
        t.Array(t.String(), {
          maxItems: LIMITS.colorsMax,
          description: 'The colours of all its variants.',
        }),
      ),
      description: t.Optional(
        t.String({ description: 'Searches by words read its first 500 characters, without HTML.' }),
      ),
      tags: t.Optional(t.Array(t.String())),
      url: t.Optional(t.String({ description: 'Web page of the product.' })),
      currency: t.Optional(t.String({ description: 'ISO 4217.' })),
      in_stock: t.Optional(t.Boolean()),
      sku: t.Optional(t.String()),
      gtin: t.Optional(t.String()),
      variant_group: t.Optional(t.String()),
      sale_price: t.Optional(
        t.Number({ description: 'What is paid while the sale holds, if it is below `price`.' }),
      ),
      sale_price_from: t.Optional(
        t.String({ description: 'ISO 8601, a date or a time; in UTC unless it says otherwise.' }),
      ),
      sale_price_until: t.Optional(
        t.String({ description: 'ISO 8601; a date alone holds to the end of that day.' }),
      ),
      price_max: t.Optional(t.Number({ description: 'The highest price of its variants.' })),
      variants: t.Optional(t.Array(Variant, { maxItems: LIMITS.variantsMax })),
      rating: t.Optional(t.Number()),
      created_at: t.Optional(t.String()),
    },
    {
      ...ANY_KEY,
      description: `At most ${sizeInWords(LIMITS.metadataBytesMax)} as JSON, ${LIMITS.metadataKeysMax} keys, ${LIMITS.metadataDepthMax} levels.`,
    },
  ),
)
export type Metadata = Record<string, unknown>

/** The JSON type that a key of the metadata must have; undefined for one of which any will do. */
export const typeOfField = (key: string): string | undefined =>
  Object.hasOwn(Metadata.properties, key)
    ? Metadata.properties[key as keyof typeof Metadata.properties].type
    : undefined

/**
 * Refuses control characters, line ends, and characters that change the writing direction. A lone surrogate is not a
 * character: the database could not tell two such ids apart.
 */
const ID_CHARACTER =
  '(?:[^/\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]|[\\ud800-\\udbff][\\udc00-\\udfff])'

/**
 * A visible character: neither a space (Unicode's Z) nor an invisible character (Default_Ignorable_Code_Point). The ranges
 * are spelt out because not every reader of the API's document knows these names.
 */
const VISIBLE_CHARACTER =
  '(?:[^ \\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f' +
  '\\u205f-\\u206f\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ud800-\\udfff]|[\\ud800-\\udb3f\\udb44-\\udbff][\\udc00-\\udfff])'

/** Words that follow `/v1/products/` in paths. */
export const RESERVED_PRODUCT_IDS = ['demo', 'bulk', 'import', 'export'] as const

/** Of the product in the examples. */
const SAMPLE_METADATA = {
  name: 'Red mug',
  category: 'mugs',
  price: 14.5,
  currency: 'EUR',
  color_name: 'red',
}

export const ProductId = text({
  minLength: 1,
  maxLength: LIMITS.productIdCharsMax,
  pattern: `^(?!\\.{1,2}$)(?=.*${VISIBLE_CHARACTER})${ID_CHARACTER}+$`,
  not: { enum: RESERVED_PRODUCT_IDS },
  description: `printable characters except /, at least one of them visible; not . or .., and not ${RESERVED_PRODUCT_IDS.join(', ')}, which are reserved`,
  examples: ['sku-1'],
})

const PictureUrl = text({
  minLength: 1,
  description: 'An http(s) URL that the service downloads, or a `data:` URI.',
  examples: ['https://shop.example/pictures/red-mug.jpg'],
})

const AdditionalPictures = t.Array(PictureUrl, {
  maxItems: LIMITS.additionalPicturesMax,
  description: 'Further views; a product is found by its best matching picture.',
})

/** The body of POST /v1/products as JSON, and an item of POST /v1/products/bulk. */
export const Product = named(
  'ProductInput',
  t.Object(
    {
      product_id: ProductId,
      image_url: PictureUrl,
      metadata: t.Optional(Metadata),
      additional_image_urls: t.Optional(AdditionalPictures),
      refresh: t.Optional(
        t.Boolean({ description: 'Download the pictures again even if their URLs are known.' }),
      ),
    },
    { additionalProperties: true },
  ),
  { product_id: 'red-mug', metadata: SAMPLE_METADATA, image_url: SAMPLE_PICTURE },
)

/** A picture within a line of an export, with its vector and what is known of it. Other fields are not read. */
/** 64 KiB in base64, the longest thumbnail. */
const THUMBNAIL_CHARS_MAX = 87_384

const PrecomputedPicture = t.Object({
  image_url: text({ minLength: 1 }),
  content_hash: t.String({ pattern: '^[0-9a-f]{64}$' }),
  content_type: t.Union(
    (['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif'] as const).map((type) =>
      t.Literal(type),
    ),
  ),
  bytes: Type.Integer({ minimum: 1, maximum: LIMITS.pictureBytesMax }),
  width: Type.Integer({ minimum: 1, maximum: LIMITS.picturePixelsMax }),
  height: Type.Integer({ minimum: 1, maximum: LIMITS.picturePixelsMax }),
  phash: t.String({ pattern: '^[0-9a-f]{16}$' }),
  palette: t.Array(
    t.Object({
      hex: t.String({ pattern: '^#[0-9a-f]{6}$' }),
      share: t.Number({ minimum: 0, maximum: 1 }),
    }),
    { maxItems: 5 },
  ),
  vector: t.Union([t.Null(), t.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$', maxLength: 65_536 })], {
    description: 'Base64 of 32-bit floats, the low byte first.',
  }),
  thumbnail: t.Optional(
    t.Union([t.Null(), t.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$', maxLength: THUMBNAIL_CHARS_MAX })], {
      description: 'Base64 of a WebP file.',
    }),
  ),
})
export type PrecomputedPicture = typeof PrecomputedPicture.static

/** The pictures of a line of an export. */
export const PrecomputedPictures = t.Array(PrecomputedPicture, { maxItems: 1 + LIMITS.additionalPicturesMax })

/** Vectors and facts that came with a product, for pictures that need not be read then. */
export interface Precomputed {
  /** The hash of the model that made the vectors. */
  model: string
  pictures: PrecomputedPicture[]
}

/** The body of POST /v1/products as multipart: the picture is a file or a URL; `metadata` is JSON text. */
export const ProductForm = named(
  'ProductForm',
  t.Object(
    {
      product_id: ProductId,
      image: t.Optional(
        upload(
          `JPEG, PNG, WebP, AVIF or GIF, at most ${sizeInWords(LIMITS.pictureBytesMax)}. Exactly one of image and image_url is required.`,
        ),
      ),
      image_url: t.Optional(PictureUrl),
      metadata: t.Optional(Metadata),
      additional_image_urls: t.Optional(AdditionalPictures),
      refresh: t.Optional(
        t.Boolean({ description: 'Download the pictures again even if their URLs are known.' }),
      ),
    },
    { additionalProperties: true },
  ),
  { product_id: 'red-mug', metadata: SAMPLE_METADATA },
)

export type Product = typeof Product.static

/** The body of POST /v1/products, as JSON or as multipart. */
export const ProductBody = t.Union([Product, ProductForm])
export type ProductBody = typeof ProductBody.static

const ReplacementJson = named(
  'ProductReplacement',
  t.Object({ ...Product.properties, product_id: t.Optional(ProductId) }, { additionalProperties: true }),
  { metadata: SAMPLE_METADATA, image_url: SAMPLE_PICTURE },
)

/** The body of PUT /v1/products/{product_id}; an id in the body must equal the one in the path. */
export const ProductReplacementForm = named(
  'ProductReplacementForm',
  t.Object({ ...ProductForm.properties, product_id: t.Optional(ProductId) }, { additionalProperties: true }),
  { metadata: SAMPLE_METADATA },
)
export const ProductReplacement = t.Union([ReplacementJson, ProductReplacementForm])
export type ProductReplacement = typeof ProductReplacement.static

/** The body of PATCH: absent fields stay; metadata is merged by RFC 7396, so null removes a key. */
export const ProductPatch = named(
  'ProductPatch',
  t.Object(
    {
      image_url: t.Optional(PictureUrl),
      additional_image_urls: t.Optional(AdditionalPictures),
      metadata: t.Optional(
        t.Record(t.String(), t.Unknown(), {
          description: 'JSON merge patch (RFC 7396): null removes a key.',
        }),
      ),
      refresh: t.Optional(t.Boolean()),
    },
    { additionalProperties: true },
  ),
  { metadata: { price: 12.5, sale_price: null } },
)
export type ProductPatch = typeof ProductPatch.static

export const IndexedProduct = named(
  'IndexingResult',
  t.Object({
    status: t.Literal('indexed'),
    product_id: t.String(),
    vector_id: t.String(),
    message: t.Union([t.Literal('indexed'), t.Literal('updated'), t.Literal('unchanged')]),
  }),
)
export type IndexedProduct = typeof IndexedProduct.static

const PictureInfo = named(
  'ProductPicture',
  t.Object({
    width: Type.Integer({ description: 'Pixels, after EXIF rotation.' }),
    height: Type.Integer(),
    bytes: Type.Integer(),
    content_type: t.String(),
    phash: t.String({ description: '64-bit perceptual hash, hex.' }),
    palette: t.Array(named('PaletteColor', t.Object({ hex: t.String(), share: t.Number() })), {
      description: 'Largest share first.',
    }),
  }),
)

/** The thumbnail of a product's first picture, below the address of the service. */
export const ThumbnailUrl = t.Union([t.String(), t.Null()], {
  description:
    'Where a small WebP of the first picture lies, below the address of the service. It holds for 24 to 36 hours. null without one.',
  examples: ['/thumbnails/3f8a….webp?until=494376&sig=90c1…'],
})

/** A product as it is read: Contract 2.1 and the results of indexing. */
export const IndexedProductView = named(
  'Product',
  t.Object({
    product_id: t.String(),
    image_url: t.String(),
    thumbnail_url: ThumbnailUrl,
    additional_image_urls: t.Array(t.String()),
    metadata: Metadata,
    status: t.Literal('indexed'),
    vector_id: t.String(),
    indexed_at: Moment,
    updated_at: Moment,
    image: PictureInfo,
    error: t.Null(),
  }),
)
export type IndexedProductView = typeof IndexedProductView.static

export const PRODUCT_SORTS = ['newest', 'oldest', 'updated', 'name', 'price_asc', 'price_desc'] as const
export type ProductSort = (typeof PRODUCT_SORTS)[number]

export const ProductListQuery = t.Object({
  ...pageQuery({ default: LIMITS.productsPageDefault, maximum: LIMITS.productsPageMax }),
  status: t.Optional(
    t.Literal('indexed', {
      description:
        'A product that is listed is indexed. Those that failed are listed by `GET /v1/jobs/failures`, and what waits by its job.',
    }),
  ),
  category: t.Optional(t.String()),
  brand: t.Optional(t.String()),
  q: t.Optional(text({ maxLength: 200, description: 'Part of the name or of the product_id.' })),
  updated_since: t.Optional(moment('ISO 8601 with an offset from UTC, or a date')),
  sort: t.Optional(t.Union(PRODUCT_SORTS.map((sort) => t.Literal(sort)))),
})
export type ProductListQuery = typeof ProductListQuery.static

export const ProductList = named(
  'ProductList',
  t.Object({
    products: t.Array(IndexedProductView),
    count: Type.Integer({ description: 'Products on this page.' }),
    total: Type.Integer({
      description: `Products that match the filters, counted up to ${LIMITS.productsTotalMax}.`,
    }),
    total_is_exact: t.Boolean({ description: 'false when more products than `total` match the filters.' }),
    ...PAGE_END,
  }),
)
export type ProductList = typeof ProductList.static

export const ProductParams = t.Object({
  product_id: t.String({ description: 'The id that you gave the product.', examples: ['demo-mug-red'] }),
})

/** The path of PUT, which may create the product. */
export const NewProductParams = t.Object({ product_id: ProductId })

export const DeletedProduct = named(
  'DeletedProduct',
  t.Object({ status: t.Literal('deleted'), product_id: t.String() }),
)
export type DeletedProduct = typeof DeletedProduct.static
