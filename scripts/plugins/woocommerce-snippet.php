<?php
/**
 * Plugin Name: Lookalike for WooCommerce
 * Description: Search by picture, and tracking of carts and purchases. Copy this file to wp-content/mu-plugins/.
 */

declare(strict_types=1);

namespace Lookalike\WooCommerce;

if (!defined('ABSPATH')) {
    exit;
}

/** Public address of the service, without a slash at its end. */
const LOOKALIKE_SERVICE = 'https://search.shop.example';
/** A widget key that lists the origin of this shop. Never a secret key. */
const LOOKALIKE_KEY = 'pk_live_…';

function has_widget(): bool
{
    return true;
}

// The widget on every page; on the thank-you page only its tracking.
add_action('wp_footer', static function (): void {
    wp_print_script_tag([
        'src' => LOOKALIKE_SERVICE . '/widget.js',
        'data-key' => LOOKALIKE_KEY,
        'data-lang' => str_replace('_', '-', get_locale()),
        'data-attach' => 'input[type=search][name=s]',
        // For products without an address of their own; the hook below leads on to the product's page.
        'data-url' => home_url('/') . '?lookalike={product_id}',
        'data-mode' => is_thank_you() ? 'track' : 'modal',
        'async' => true,
    ]);
}, 20);
