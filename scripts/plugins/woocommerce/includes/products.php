<?php

declare(strict_types=1);

namespace Lookalike\WooCommerce;

if (!defined('ABSPATH')) {
    exit;
}

/** Pictures besides the main one that the service keeps. */
const PICTURES_MAX = 10;
/** Characters of a description: the service finds words in it, and shows none of it. */
const DESCRIPTION_MAX = 2000;
/** Whether shoppers may find it: it is public, listed in search, and has a picture. */
function is_findable(\WC_Product $product): bool
{
    return $product->get_status() === 'publish'
        && !$product->is_type('variation')
        && in_array($product->get_catalog_visibility(), ['visible', 'search'], true)
        && picture_address((int) $product->get_image_id()) !== null;
}

/** @return array<string, mixed> what POST /v1/products/bulk takes. */
function describe_product(\WC_Product $product): array
{
    $pictures = array_values(array_filter(array_map(
        static fn ($id): ?string => picture_address((int) $id),
        array_slice($product->get_gallery_image_ids(), 0, PICTURES_MAX),
    )));
    return array_filter([
        'product_id' => product_id($product),
        'image_url' => picture_address((int) $product->get_image_id()),
        'additional_image_urls' => $pictures,
        'metadata' => describe_metadata($product),
    ], static fn ($value): bool => $value !== []);
}

/** @return array<string, mixed> */
function describe_metadata(\WC_Product $product): array
{
    $path = category_path($product);
    $price = $product->get_regular_price() !== '' ? $product->get_regular_price() : $product->get_price();
    $sale = $product->is_on_sale() ? $product->get_sale_price() : '';
    $text = trim(wp_strip_all_tags($product->get_short_description() ?: $product->get_description(), true));
    $color = $product->get_attribute('pa_color') ?: $product->get_attribute('color');
    $metadata = [
        'name' => $product->get_name(),
        'category' => $path === [] ? null : $path[count($path) - 1],
        'category_path' => $path,
        'price' => is_numeric($price) ? round((float) $price, 2) : null,
        'sale_price' => is_numeric($sale) ? round((float) $sale, 2) : null,
        'currency' => get_woocommerce_currency(),
        'in_stock' => $product->is_in_stock(),
        'sku' => $product->get_sku(),
        'color_name' => trim(explode('|', explode(',', $color)[0])[0]),
        'brand' => $product->get_attribute('pa_brand') ?: $product->get_attribute('brand'),
        'description' => mb_substr($text, 0, DESCRIPTION_MAX),
        'tags' => term_names($product, 'product_tag'),
        'url' => $product->get_permalink(),
    ];
    return array_filter($metadata, static fn ($value): bool => $value !== null && $value !== '' && $value !== []);
}

/** @return list<string> from the top to the deepest category of the product. */
function category_path(\WC_Product $product): array
{
    $deepest = [];
    foreach ($product->get_category_ids() as $id) {
        $path = [];
        foreach ([...array_reverse(get_ancestors((int) $id, 'product_cat', 'taxonomy')), (int) $id] as $one) {
            $term = get_term($one, 'product_cat');
            if ($term instanceof \WP_Term) {
                $path[] = html_entity_decode($term->name, ENT_QUOTES);
            }
        }
        $deepest = count($path) > count($deepest) ? $path : $deepest;
    }
    return $deepest;
}

/** @return list<string> */
function term_names(\WC_Product $product, string $taxonomy): array
{
    $terms = get_the_terms($product->get_id(), $taxonomy);
    return is_array($terms) ? array_map(static fn (\WP_Term $term): string => html_entity_decode($term->name, ENT_QUOTES), array_values($terms)) : [];
}

function picture_address(int $id): ?string
{
    $address = $id > 0 ? wp_get_attachment_image_url($id, 'large') : false;
    return is_string($address) && $address !== '' ? $address : null;
}
