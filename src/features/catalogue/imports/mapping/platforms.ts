import type { Mapping, Platform } from './mapping.ts'

/** What the export of a kind of shop looks like. Names of columns are compared without case. */
interface Preset {
  platform: Platform
  /** See `Plan`. */
  groupBy?: readonly string[]
  /** Columns that together tell this kind from all others. */
  signs: readonly (readonly string[])[]
  mapping: Mapping
}

/**
 * Shopify's product CSV in both generations of its headers, WooCommerce's product CSV, and the product data
 * specification of Google Merchant. Sources: Shopify Help Center "Using CSV files to import and export products";
 * the WooCommerce wiki "Product CSV Import Schema"; Google Merchant Center Help "Product data specification".
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
      category: ['Product category', 'Product Category', 'Type'],
      brand: ['Vendor'],
      price: ['Price', 'Variant Price'],
      color_name: ['Color (product.metafields.shopify.color-pattern)'],
      tags: ['Tags'],
      in_stock: ['Inventory quantity', 'Variant Inventory Qty'],
      sku: ['SKU', 'Variant SKU'],
      gtin: ['Barcode', 'Variant Barcode'],
    },
  },
  {
    platform: 'woocommerce',
    signs: [
      ['images', 'regular price'],
      ['sku', 'categories', 'images'],
      ['type', 'published', 'images'],
    ],
    mapping: {
      product_id: ['SKU', 'ID'],
      image_url: ['Images'],
      additional_image_urls: ['Images'],
      name: ['Name'],
      category: ['Categories'],
      brand: ['Brands', 'Brand'],
      price: ['Sale price', 'Regular price'],
      tags: ['Tags'],
      in_stock: ['In stock?', 'Stock'],
      variant_group: ['Parent'],
      sku: ['SKU'],
      gtin: ['GTIN, UPC, EAN, or ISBN'],
    },
  },
  {
    platform: 'google',
    signs: [
      ['id', 'image_link'],
      ['id', 'image link'],
    ],
    mapping: {
      product_id: ['id'],
      image_url: ['image_link', 'image link'],
      additional_image_urls: ['additional_image_link', 'additional image link'],
      name: ['title'],
      category: ['product_type', 'product type', 'google_product_category', 'google product category'],
      brand: ['brand'],
      price: ['sale_price', 'sale price', 'price'],
      color_name: ['color', 'colour'],
      tags: ['custom_label_0', 'custom_label_1', 'custom_label_2', 'custom_label_3', 'custom_label_4'],
      in_stock: ['availability'],
      variant_group: ['item_group_id', 'item group id'],
      sku: ['mpn'],
      gtin: ['gtin'],
      url: ['link'],
    },
  },
  {
    platform: 'plain',
    signs: [],
    mapping: {
      product_id: ['product_id', 'product id', 'id', 'sku', 'article', 'article number', 'handle'],
      image_url: [
        'image_url',
        'image url',
        'image',
        'picture',
        'photo',
        'image_link',
        'img',
        'file',
        'filename',
      ],
      additional_image_urls: ['additional_image_urls', 'additional_image_url', 'additional images', 'images'],
      name: ['name', 'title', 'product name', 'product'],
      category: ['category', 'product_type', 'type', 'categories'],
      brand: ['brand', 'vendor', 'manufacturer'],
      price: ['price'],
      sale_price: ['sale_price', 'sale price'],
      currency: ['currency'],
      color_name: ['color_name', 'color', 'colour'],
      tags: ['tags'],
      in_stock: ['in_stock', 'in stock', 'availability', 'stock', 'quantity'],
      variant_group: ['variant_group', 'item_group_id', 'parent'],
      sku: ['sku'],
      gtin: ['gtin', 'ean', 'upc', 'barcode'],
      url: ['url', 'link', 'product url'],
      rating: ['rating'],
    },
  },
]
