import type { CategoryStyle, Mapping, Platform, Roles } from './mapping.ts'
import { PLAIN_MAPPING } from './plain-names.ts'

/** The export of one kind of shop. Names of columns are compared by `headerKey`. */
export interface Preset {
  platform: Platform
  /** See `Plan`. */
  groupBy?: readonly string[]
  hasFamilies?: boolean
  /** Columns that together tell this kind from all others. */
  signs: readonly (readonly string[])[]
  /** Which of them do so when the titles are translated; others are ordinary words in some language. */
  translatedSigns?: readonly (readonly string[])[]
  mapping: Mapping
  roles: Roles
  categories: CategoryStyle
}

const ARROWS: CategoryStyle = { levels: />/ }

/**
 * Shopify's product CSV in both generations of its headers, WooCommerce's product CSV, the product data specification of
 * Google Merchant, the import files of PrestaShop, the tables of OpenCart's export tools, and Magento 2's product CSV.
 * Sources: Shopify Help Center "Using CSV files to import and export products"; the WooCommerce wiki "Product CSV Import
 * Schema"; Google Merchant Center Help "Product data specification"; PrestaShop's sample files of its import page; the
 * Adobe Commerce guide "Product attributes data reference".
 */
export const PRESETS: readonly Preset[] = [
  {
    platform: 'shopify',
    groupBy: ['URL handle', 'Handle'],
    signs: [
      ['handle', 'image src'],
      ['handle', 'variant price'],
      ['url handle', 'product image url'],
      ['url handle', 'title'],
    ],
    mapping: {
      product_id: ['URL handle', 'Handle'],
      image_url: ['Product image URL', 'Image Src', 'Variant image URL', 'Variant Image'],
      additional_image_urls: ['Variant image URL', 'Variant Image'],
      name: ['Title'],
      description: ['Description', 'Body (HTML)', 'Body HTML'],
      category: ['Product category', 'Standard Product Type', 'Type', 'Custom Product Type'],
      brand: ['Vendor'],
      price: ['Price', 'Variant Price'],
      color_name: ['Color (product.metafields.shopify.color-pattern)'],
      tags: ['Tags'],
      in_stock: ['Inventory quantity', 'Variant Inventory Qty'],
      sku: ['SKU', 'Variant SKU'],
      gtin: ['Barcode', 'Variant Barcode'],
    },
    roles: {
      compare_at: ['Compare-at price', 'Variant Compare At Price'],
      tracker: ['Inventory tracker', 'Variant Inventory Tracker'],
      backorders: ['Continue selling when out of stock', 'Variant Inventory Policy'],
      published: ['Published on online store', 'Published'],
      status: ['Status'],
      variant_image: ['Variant image URL', 'Variant Image'],
    },
    categories: ARROWS,
  },
  {
    platform: 'woocommerce',
    hasFamilies: true,
    signs: [
      ['images', 'regular price'],
      ['sku', 'categories', 'images'],
      ['type', 'published', 'images'],
    ],
    translatedSigns: [
      ['images', 'regular price', 'categories'],
      ['type', 'published', 'images'],
      ['type', 'published', 'regular price'],
    ],
    mapping: {
      product_id: ['SKU', 'ID'],
      image_url: ['Images'],
      additional_image_urls: ['Images'],
      name: ['Name'],
      description: ['Short description', 'Description'],
      category: ['Categories'],
      brand: ['Brands', 'Brand'],
      price: ['Regular price'],
      sale_price: ['Sale price'],
      sale_price_from: ['Date sale price starts'],
      sale_price_until: ['Date sale price ends'],
      tags: ['Tags'],
      in_stock: ['In stock?', 'Stock'],
      variant_group: ['Parent'],
      sku: ['SKU'],
      gtin: ['GTIN, UPC, EAN, or ISBN'],
    },
    roles: {
      backorders: ['Backorders allowed?'],
      published: ['Published'],
      visibility: ['Visibility in catalog', 'Visibility in catalogue'],
      type: ['Type'],
      parent: ['Parent'],
      id: ['ID'],
    },
    categories: { list: /(?<!\\),/, levels: />/ },
  },
  {
    platform: 'magento',
    hasFamilies: true,
    signs: [
      ['sku', 'base_image'],
      ['sku', 'product_online'],
      ['sku', 'attribute_set_code', 'product_type'],
    ],
    mapping: {
      product_id: ['sku'],
      image_url: ['base_image', 'image', 'small_image', 'thumbnail_image'],
      additional_image_urls: ['additional_images'],
      name: ['name'],
      description: ['short_description', 'description'],
      category: ['categories'],
      brand: ['brand', 'manufacturer'],
      price: ['price'],
      sale_price: ['special_price'],
      sale_price_from: ['special_price_from_date'],
      sale_price_until: ['special_price_to_date'],
      color_name: ['color'],
      in_stock: ['is_in_stock', 'qty'],
      sku: ['sku'],
      gtin: ['gtin', 'ean', 'upc'],
    },
    roles: {
      tracker: ['manage_stock'],
      backorders: ['allow_backorders'],
      published: ['product_online'],
      visibility: ['visibility'],
      type: ['product_type'],
      variations: ['configurable_variations'],
      attributes: ['additional_attributes'],
      store_view: ['store_view_code'],
    },
    categories: {
      list: /[,|]/,
      levels: /\//,
      roots: ['default category', 'root catalog', 'root category'],
    },
  },
  {
    platform: 'prestashop',
    signs: [
      ['product id', 'active (0/1)'],
      ['id', 'active (0/1)'],
      ['image urls (x,y,z...)'],
      ['reference #', 'price tax excluded'],
      ['product id', 'price (tax excl.)'],
      ['product id', 'price tax excluded'],
    ],
    mapping: {
      product_id: ['Product ID', 'ID', 'Reference #', 'Reference'],
      image_url: ['Image URLs (x,y,z...)', 'Image URLs (x,y,z…)', 'Image URLs', 'Image'],
      additional_image_urls: ['Image URLs (x,y,z...)', 'Image URLs'],
      name: ['Name *', 'Name'],
      description: ['Summary', 'Short description', 'Description'],
      category: ['Categories (x,y,z...)', 'Categories', 'Category'],
      brand: ['Manufacturer', 'Brand'],
      price: [
        'Price tax included',
        'Price (tax incl.)',
        'Price tax excluded',
        'Price tax excluded or Price tax included',
        'Price (tax excl.)',
      ],
      sale_price_from: ['Discount from (yyyy-mm-dd)', 'Discount from'],
      sale_price_until: ['Discount to (yyyy-mm-dd)', 'Discount to'],
      tags: ['Tags (x,y,z...)', 'Tags'],
      in_stock: ['Quantity'],
      sku: ['Reference #', 'Reference'],
      gtin: ['EAN13', 'EAN-13', 'UPC'],
    },
    roles: {
      discount_amount: ['Discount amount'],
      discount_percent: ['Discount percent'],
      published: ['Active (0/1)', 'Active', 'Status'],
      visibility: ['Visibility'],
      orderable: [
        'Available for order (0 = No, 1 = Yes)',
        'Available for order (0/1)',
        'Available for order',
      ],
    },
    categories: {
      ...{ list: /[,|]/, levels: /[>/]/, narrowsDown: true },
      roots: ['home', 'root', 'accueil', 'inicio', 'startseite'],
    },
  },
  {
    platform: 'opencart',
    signs: [
      ['product_id', 'image_name'],
      ['model', 'image_name'],
      ['product_id', 'model', 'image'],
      ['product_id', 'model', 'stock_status_id'],
    ],
    mapping: {
      product_id: ['product_id', 'model'],
      image_url: ['image_name', 'image'],
      additional_image_urls: ['additional_images', 'additional images', 'images', 'additional_image'],
      name: ['name'],
      description: ['description'],
      category: ['category', 'categories', 'category_name'],
      brand: ['manufacturer', 'brand'],
      price: ['price'],
      sale_price: ['special', 'special_price'],
      sale_price_from: ['special_date_start', 'date_start'],
      sale_price_until: ['special_date_end', 'date_end'],
      color_name: ['color', 'colour'],
      tags: ['tags', 'tag'],
      in_stock: ['quantity'],
      sku: ['sku', 'model'],
      gtin: ['ean', 'upc', 'jan', 'isbn'],
    },
    roles: { published: ['status'] },
    categories: { list: /[,;|]/, levels: />|(?<=\s)\/(?=\s)/ },
  },
  {
    platform: 'google',
    signs: [['id', 'image_link']],
    mapping: {
      product_id: ['id'],
      image_url: ['image_link'],
      additional_image_urls: ['additional_image_link'],
      name: ['title'],
      description: ['description'],
      category: ['product_type', 'google_product_category'],
      brand: ['brand'],
      price: ['price'],
      sale_price: ['sale_price'],
      color_name: ['color', 'colour'],
      tags: ['custom_label_0', 'custom_label_1', 'custom_label_2', 'custom_label_3', 'custom_label_4'],
      in_stock: ['availability'],
      variant_group: ['item_group_id'],
      sku: ['mpn'],
      gtin: ['gtin'],
      url: ['link'],
    },
    roles: { sale_dates: ['sale_price_effective_date'] },
    categories: ARROWS,
  },
  {
    platform: 'plain',
    signs: [[]],
    mapping: PLAIN_MAPPING,
    roles: { sale_dates: ['sale_price_effective_date'] },
    categories: { list: /(?<!\\)[,;|]/, levels: />|(?<=\s)\/(?=\s)/ },
  },
]
