<?php

declare(strict_types=1);

// What the shop's own pages do for the widget: carts and purchases are told to it, and a product_id leads to the page of its product. The plugin and
// the snippet that the portal writes both have it; has_widget() says whether there is a widget.
namespace Lookalike\WooCommerce;

if (!defined('ABSPATH')) {
    exit;
}

/** A product_id of the service has no slash. */
const NO_PRODUCT_ID = '~^(?:demo|bulk|import|export|\.{1,2})$|[/\x00-\x1F]~';

/** The id in the service: the SKU where there is one and the ID otherwise, as in an import of WooCommerce's own CSV. */
function product_id(\WC_Product $product): string
{
    $sku = $product->get_sku();
    return $sku !== '' && strlen($sku) <= 128 && preg_match(NO_PRODUCT_ID, $sku) !== 1 ? $sku : (string) $product->get_id();
}

/** Keeps calls until the widget has loaded. */
const STUB = <<<'JS'
window.ServiceWidget = window.ServiceWidget || {
  q: [],
  consent(...call) { this.q.push(['consent', ...call]) },
  trackAddToCart(...call) { this.q.push(['trackAddToCart', ...call]) },
  trackPurchase(...call) { this.q.push(['trackPurchase', ...call]) },
}
JS;

add_action('wp_head', static function (): void {
    if (has_widget()) {
        wp_print_inline_script_tag(STUB);
    }
}, 1);

function is_thank_you(): bool
{
    return function_exists('is_order_received_page') && is_order_received_page();
}

/** Prints a call of the widget; it waits in the stub until the widget has loaded. */
function print_call(string $method, array $arguments): void
{
    $json = implode(',', array_map(
        static fn ($argument) => wp_json_encode($argument, JSON_HEX_TAG | JSON_HEX_AMP | JSON_HEX_APOS | JSON_HEX_QUOT),
        $arguments
    ));
    wp_print_inline_script_tag("window.ServiceWidget.$method($json)");
}

// An address that leads from a product_id to the page of its product. It leads to pages of this shop alone.
add_action('template_redirect', static function (): void {
    $asked = $_GET['lookalike'] ?? null;
    if (!is_string($asked) || !function_exists('wc_get_product')) {
        return;
    }
    $wanted = trim(wp_unslash($asked));
    $id = $wanted === '' || strlen($wanted) > 128 ? 0 : (int) wc_get_product_id_by_sku($wanted);
    if ($id === 0 && preg_match('/^[1-9][0-9]{0,17}$/', $wanted) === 1) {
        $id = (int) $wanted;
    }
    $product = $id > 0 ? wc_get_product($id) : null;
    // A variation is shown on the page of its product.
    $page = $product instanceof \WC_Product ? ($product->get_parent_id() ?: $product->get_id()) : 0;
    if ($page > 0 && get_post_status($page) === 'publish') {
        wp_safe_redirect($product->get_permalink(), 302, 'Lookalike');
        exit;
    }
    global $wp_query;
    $wp_query->set_404();
    status_header(404);
    nocache_headers();
}, 1);

// What was bought: one line for each product. An order that is shown again counts once, by its order_id.
add_action('woocommerce_thankyou', static function ($order_id): void {
    $order = wc_get_order($order_id);
    if (!has_widget() || !$order instanceof \WC_Order || $order->has_status('failed')) {
        return;
    }
    foreach ($order->get_items() as $item) {
        $product = $item instanceof \WC_Order_Item_Product ? $item->get_product() : null;
        if (!$product instanceof \WC_Product) {
            continue;
        }
        print_call('trackPurchase', [
            product_id($product),
            [
                // The sum of the line with its taxes, as the customer has paid it.
                'order_value' => round((float) $item->get_total() + (float) $item->get_total_tax(), 2),
                'currency' => $order->get_currency(),
                'quantity' => max(1, (int) $item->get_quantity()),
                'order_id' => (string) $order->get_order_number(),
            ],
        ]);
    }
});

// Carts without a reload tell the page by jQuery, with the SKU in the button.
add_action('wp_enqueue_scripts', static function (): void {
    if (!has_widget() || !wp_script_is('wc-add-to-cart', 'registered')) {
        return;
    }
    wp_add_inline_script('wc-add-to-cart', <<<'JS'
jQuery(document.body).on('added_to_cart', function (event, fragments, hash, button) {
  var id = button && (button.data('product_sku') || button.data('product_id'))
  if (id) window.ServiceWidget.trackAddToCart(String(id))
})
JS);
});

// Carts with a reload: the page after it tells.
add_action('woocommerce_add_to_cart', static function ($key, $product_id, $quantity, $variation_id): void {
    $product = wc_get_product($variation_id ?: $product_id);
    if (wp_doing_ajax() || !$product instanceof \WC_Product || !WC()->session) {
        return;
    }
    WC()->session->set('lookalike_added', product_id($product));
}, 10, 4);

add_action('wp_footer', static function (): void {
    $id = function_exists('WC') && WC()->session ? WC()->session->get('lookalike_added') : null;
    if (!is_string($id) || !has_widget()) {
        return;
    }
    WC()->session->set('lookalike_added', null);
    print_call('trackAddToCart', [$id]);
}, 30);
