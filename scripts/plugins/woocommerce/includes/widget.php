<?php

declare(strict_types=1);

namespace Lookalike\WooCommerce;

if (!defined('ABSPATH')) {
    exit;
}

// With the consent API of WordPress, a plugin that asks shoppers says here what they have answered.
add_action('wp_footer', static function (): void {
    if (has_widget() && settings()['needs_consent'] && function_exists('wp_has_consent')) {
        wp_print_inline_script_tag(<<<'JS'
(function () {
  var tell = function () { window.ServiceWidget.consent(wp_has_consent('statistics')) }
  document.addEventListener('wp_listen_for_consent_change', tell)
  if (typeof wp_has_consent === 'function') tell()
})()
JS);
    }
}, 40);

// The camera beside the shop's own search; on the thank-you page only the tracking.
add_action('wp_footer', static function (): void {
    if (!has_widget() || !is_wanted_here()) {
        return;
    }
    $camera = settings()['camera'];
    wp_print_script_tag(widget_attributes(is_thank_you() ? ['data-mode' => 'track'] : [
        'data-mode' => 'modal',
        'data-attach' => $camera !== '' ? $camera : null,
    ]));
}, 20);

/** Whether the page is one of those that the settings name. Purchases are told everywhere. */
function is_wanted_here(): bool
{
    return match (settings()['pages']) {
        'all' => true,
        'shop' => is_thank_you() || (function_exists('is_woocommerce') && is_woocommerce()),
        default => is_thank_you(),
    };
}

/**
 * @param array<string, string|null> $more
 * @return array<string, string|bool>
 */
function widget_attributes(array $more): array
{
    $settings = settings();
    return array_filter([
        'src' => $settings['service'] . '/widget.js',
        'data-key' => $settings['widget_key'],
        'data-lang' => str_replace('_', '-', get_locale()),
        // For products without an address of their own; shop-pages.php leads on to the page of the product.
        'data-url' => home_url('/') . '?lookalike={product_id}',
        'data-consent' => $settings['needs_consent'] ? 'required' : null,
        'async' => true,
        ...$more,
    ], static fn ($value): bool => $value !== null && $value !== '');
}

/**
 * The search in the place of the block or the shortcode: [lookalike], [lookalike similar_to="SKU"], [lookalike together="SKU"].
 *
 * @param mixed $attributes
 */
function render_widget(mixed $attributes): string
{
    if (!has_widget()) {
        return current_user_can('manage_woocommerce')
            ? '<p>' . esc_html__('Lookalike needs its settings first: WooCommerce → Lookalike.', 'lookalike') . '</p>'
            : '';
    }
    $attributes = is_array($attributes) ? $attributes : [];
    $row = static function (string ...$names) use ($attributes): ?string {
        foreach ($names as $name) {
            if (is_string($attributes[$name] ?? null) && $attributes[$name] !== '') {
                return $attributes[$name];
            }
        }
        return null;
    };
    [$similar, $together] = [$row('similar_to', 'similarTo'), $row('together')];
    $here = function_exists('wc_get_product') ? wc_get_product(get_the_ID()) : null;
    $id = static fn (?string $value): ?string => $value !== 'this' ? $value : ($here instanceof \WC_Product ? product_id($here) : null);
    $mode = $similar === null && $together === null ? 'inline' : null;
    return wp_get_script_tag(widget_attributes([
        'data-mode' => $mode,
        'data-similar-to' => $id($similar),
        'data-together' => $id($together),
    ]));
}

add_shortcode('lookalike', __NAMESPACE__ . '\render_widget');

add_action('init', static function (): void {
    wp_register_script('lookalike-block', plugins_url('block.js', __DIR__), ['wp-blocks', 'wp-element', 'wp-block-editor', 'wp-components', 'wp-i18n'], '@VERSION@', true);
    register_block_type('lookalike/search', [
        'api_version' => 2,
        'title' => __('Search by picture', 'lookalike'),
        'category' => 'woocommerce',
        'icon' => 'camera',
        'editor_script' => 'lookalike-block',
        'attributes' => ['similarTo' => ['type' => 'string', 'default' => ''], 'together' => ['type' => 'string', 'default' => '']],
        'render_callback' => __NAMESPACE__ . '\render_widget',
    ]);
});
