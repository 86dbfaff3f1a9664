<?php
/**
 * Plugin Name: Lookalike for WooCommerce
 * Description: Search by picture for your shop, with a Lookalike service of your own: products go there by themselves, and shoppers find them by picture and by words.
 * Version: @VERSION@
 * Requires at least: 6.1
 * Requires PHP: 8.1
 * Requires Plugins: woocommerce
 * License: Apache-2.0
 * Text Domain: lookalike
 */

declare(strict_types=1);

namespace Lookalike\WooCommerce;

if (!defined('ABSPATH')) {
    exit;
}

// The single file that the portal writes has the same functions: both together would end every page.
if (function_exists(__NAMESPACE__ . '\has_widget')) {
    add_action('admin_notices', static function (): void {
        echo '<div class="notice notice-error"><p>' . esc_html__('Lookalike: delete the former file in wp-content/mu-plugins; this plugin takes its place.', 'lookalike') . '</p></div>';
    });
    return;
}

/** The option that holds every setting. uninstall.php removes it. */
const OPTION = 'lookalike_settings';

require_once __DIR__ . '/includes/settings.php';
require_once __DIR__ . '/includes/service.php';
require_once __DIR__ . '/includes/products.php';
require_once __DIR__ . '/includes/sync.php';
require_once __DIR__ . '/includes/widget.php';
require_once __DIR__ . '/includes/shop-pages.php';
require_once __DIR__ . '/includes/admin-page.php';

register_deactivation_hook(__FILE__, static function (): void {
    if (function_exists('as_unschedule_all_actions')) {
        as_unschedule_all_actions('', [], GROUP);
    }
});
