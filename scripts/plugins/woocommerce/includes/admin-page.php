<?php

declare(strict_types=1);

namespace Lookalike\WooCommerce;

if (!defined('ABSPATH')) {
    exit;
}

/** Who may see and change what the shop sends where. */
const CAPABILITY = 'manage_woocommerce';
const PAGE = 'lookalike';

add_action('admin_menu', static function (): void {
    add_submenu_page('woocommerce', 'Lookalike', 'Lookalike', CAPABILITY, PAGE, __NAMESPACE__ . '\show_page');
});

add_action('admin_init', static function (): void {
    register_setting(PAGE, OPTION, ['type' => 'array', 'sanitize_callback' => __NAMESPACE__ . '\read_settings']);
});

// The form of the settings is saved by options.php, which asks for another right otherwise.
add_filter('option_page_capability_' . PAGE, static fn (): string => CAPABILITY);

add_action('update_option_' . OPTION, static function (): void {
    delete_transient(TOKEN);
});

add_action('admin_post_lookalike_sync', static function (): void {
    if (!current_user_can(CAPABILITY)) {
        wp_die(esc_html__('You may not do this.', 'lookalike'), 403);
    }
    check_admin_referer('lookalike_sync');
    if (can_sync() && function_exists('as_enqueue_async_action')) {
        begin_full_run();
    }
    wp_safe_redirect(admin_url('admin.php?page=' . PAGE));
    exit;
});

add_action('admin_post_lookalike_try', static function (): void {
    if (!current_user_can(CAPABILITY)) {
        wp_die(esc_html__('You may not do this.', 'lookalike'), 403);
    }
    check_admin_referer('lookalike_try');
    delete_transient(TOKEN);
    try {
        $store = call_service('GET', '/v1/store');
        /* translators: %s: name of a store */
        $said = ['ok' => true, 'text' => sprintf(__('The service answers. The store is "%s".', 'lookalike'), (string) ($store['name'] ?? ''))];
    } catch (ServiceError $error) {
        $said = ['ok' => false, 'text' => $error->getMessage()];
    }
    set_transient('lookalike_tried', $said, 60);
    wp_safe_redirect(admin_url('admin.php?page=' . PAGE));
    exit;
});

function show_page(): void
{
    if (!current_user_can(CAPABILITY)) {
        return;
    }
    $settings = settings();
    $name = static fn (string $field): string => esc_attr(OPTION . "[$field]");
    echo '<div class="wrap"><h1>Lookalike</h1>';
    // Both what was refused and that the rest is saved.
    settings_errors();
    $said = get_transient('lookalike_tried');
    if (is_array($said)) {
        delete_transient('lookalike_tried');
        printf('<div class="notice notice-%s"><p>%s</p></div>', $said['ok'] ? 'success' : 'error', esc_html((string) $said['text']));
    }
    echo '<form method="post" action="options.php">';
    settings_fields(PAGE);
    echo '<table class="form-table" role="presentation">';
    $row = static function (string $field, string $label, string $control, string $help = ''): void {
        printf(
            '<tr><th scope="row"><label for="lookalike_%1$s">%2$s</label></th><td>%3$s%4$s</td></tr>',
            esc_attr($field),
            esc_html($label),
            $control, // escaped where it is made
            $help === '' ? '' : '<p class="description">' . esc_html($help) . '</p>',
        );
    };
    $input = static fn (string $field, string $type = 'text', string $more = ''): string => sprintf(
        '<input type="%s" class="regular-text" id="lookalike_%s" name="%s" value="%s" %s>',
        esc_attr($type),
        esc_attr($field),
        $name($field),
        esc_attr($type === 'password' ? '' : (string) $settings[$field]),
        $more,
    );
    $tick = static fn (string $field): string => sprintf(
        '<input type="checkbox" id="lookalike_%s" name="%s" value="1" %s>',
        esc_attr($field),
        $name($field),
        checked($settings[$field], true, false),
    );
    $row('service', __('Address of the service', 'lookalike'), $input('service', 'url', 'placeholder="https://search.shop.example"'));
    $row('client_id', 'client_id', $input('client_id'), __('From the portal of Lookalike, under Keys. The products are sent with it.', 'lookalike'));
    $row(
        'client_secret',
        'client_secret',
        $input('client_secret', 'password', 'autocomplete="new-password"'),
        $settings['client_secret'] === '' ? '' : __('A secret is stored. Leave the field empty to keep it.', 'lookalike'),
    );
    $row('sync', __('Send products by themselves', 'lookalike'), $tick('sync'));
    $row('widget_key', __('Widget key', 'lookalike'), $input('widget_key', 'text', 'placeholder="pk_live_…"'), __('It must list the origin of this shop.', 'lookalike'));
    $options = '';
    foreach (['all' => __('On all pages', 'lookalike'), 'shop' => __('On pages of the shop', 'lookalike'), 'chosen' => __('Only where the block or the shortcode stands', 'lookalike')] as $value => $label) {
        $options .= sprintf('<option value="%s" %s>%s</option>', esc_attr($value), selected($settings['pages'], $value, false), esc_html($label));
    }
    $row('pages', __('Camera', 'lookalike'), sprintf('<select id="lookalike_pages" name="%s">%s</select>', $name('pages'), $options));
    $row('camera', __('Search field that gets the camera', 'lookalike'), $input('camera'), __('A selector of CSS. Empty: a button of its own.', 'lookalike'));
    $row('needs_consent', __('Store nothing before the shopper agrees', 'lookalike'), $tick('needs_consent'), __('A plugin that asks for consent must say so: by the consent API of WordPress, or by ServiceWidget.consent(true).', 'lookalike'));
    echo '</table>';
    submit_button();
    echo '</form>';
    show_state();
    echo '</div>';
}

function show_state(): void
{
    $state = (array) get_option(STATE, []);
    echo '<h2>' . esc_html__('Products', 'lookalike') . '</h2>';
    if ($state !== []) {
        $words = ['running' => __('A full run goes on.', 'lookalike'), 'done' => __('The last full run is done.', 'lookalike'), 'failed' => __('The last full run has failed.', 'lookalike')];
        /* translators: 1: what the run does, 2: products sent, 3: products left out */
        $text = sprintf(__('%1$s %2$d products were sent, %3$d were left out: without a picture, hidden, or not published.', 'lookalike'), $words[$state['state'] ?? ''] ?? '', (int) ($state['sent'] ?? 0), (int) ($state['skipped'] ?? 0));
        echo '<p>' . esc_html($text) . '</p>';
        if (($state['error'] ?? '') !== '') {
            echo '<p><strong>' . esc_html((string) $state['error']) . '</strong></p>';
        }
    }
    foreach (['lookalike_try' => __('Try the connection', 'lookalike'), 'lookalike_sync' => __('Send all products now', 'lookalike')] as $action => $label) {
        printf('<form method="post" action="%s" style="display:inline-block;margin-right:1em"><input type="hidden" name="action" value="%s">', esc_url(admin_url('admin-post.php')), esc_attr($action));
        wp_nonce_field($action);
        printf('<button class="button" %s>%s</button></form>', disabled(can_sync(), false, false), esc_html($label));
    }
}
