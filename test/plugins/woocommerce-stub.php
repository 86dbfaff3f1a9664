<?php
/**
 * Plugin Name: WooCommerce
 * Description: Stands in for WooCommerce in tests: the documented functions, classes and hooks that our plugin uses, over posts of WordPress. WooCommerce itself is in no registry of ours.
 * Version: 8.0.0
 */

declare(strict_types=1);

// https://woocommerce.github.io/code-reference/classes/WC-Product.html
class WC_Product
{
    public function __construct(private readonly WP_Post $post)
    {
    }

    private function field(string $name): string
    {
        return (string) get_post_meta($this->post->ID, $name, true);
    }

    public function get_id(): int { return $this->post->ID; }
    public function get_sku(): string { return $this->field('_sku'); }
    public function get_name(): string { return $this->post->post_title; }
    public function get_status(): string { return $this->post->post_status; }
    public function get_parent_id(): int { return 0; }
    public function is_type(string $type): bool { return $type === 'simple'; }
    public function get_catalog_visibility(): string { return $this->field('_visibility') ?: 'visible'; }
    public function get_image_id(): string { return $this->field('_thumbnail_id'); }
    /** @return list<int> */
    public function get_gallery_image_ids(): array { return array_map('intval', array_filter(explode(',', $this->field('_gallery')))); }
    public function get_regular_price(): string { return $this->field('_regular_price'); }
    public function get_sale_price(): string { return $this->field('_sale_price'); }
    public function get_price(): string { return $this->field('_sale_price') ?: $this->field('_regular_price'); }
    public function is_on_sale(): bool { return $this->field('_sale_price') !== ''; }
    public function is_in_stock(): bool { return $this->field('_stock_status') !== 'outofstock'; }
    public function get_short_description(): string { return $this->post->post_excerpt; }
    public function get_description(): string { return $this->post->post_content; }
    public function get_attribute(string $name): string { return $this->field("attribute_$name"); }
    public function get_permalink(): string { return (string) get_permalink($this->post); }
    /** @return list<int> */
    public function get_category_ids(): array
    {
        $terms = get_the_terms($this->post->ID, 'product_cat');
        return is_array($terms) ? array_map(static fn ($term): int => $term->term_id, $terms) : [];
    }
}

function wc_get_product(mixed $id): WC_Product|false
{
    $post = get_post((int) $id);
    return $post instanceof WP_Post && $post->post_type === 'product' ? new WC_Product($post) : false;
}

function wc_get_product_id_by_sku(string $sku): int
{
    global $wpdb;
    return (int) $wpdb->get_var($wpdb->prepare("SELECT post_id FROM {$wpdb->postmeta} WHERE meta_key = '_sku' AND meta_value = %s", $sku));
}

function get_woocommerce_currency(): string
{
    return 'EUR';
}

function is_woocommerce(): bool
{
    return is_singular('product') || is_post_type_archive('product');
}

add_action('init', static function (): void {
    register_taxonomy('product_cat', 'product', ['hierarchical' => true, 'public' => true]);
    register_taxonomy('product_tag', 'product', ['public' => true]);
    register_post_type('product', ['public' => true, 'has_archive' => 'shop', 'supports' => ['title', 'editor', 'excerpt', 'thumbnail']]);
}, 5);

// WooCommerce fires these when a product is saved.
add_action('save_post_product', static function (int $id, WP_Post $post, bool $is_update): void {
    do_action($is_update ? 'woocommerce_update_product' : 'woocommerce_new_product', $id, wc_get_product($id));
}, 20, 3);

add_action('admin_menu', static function (): void {
    add_menu_page('WooCommerce', 'WooCommerce', 'manage_woocommerce', 'woocommerce', '__return_null');
}, 5);

register_activation_hook(__FILE__, static function (): void {
    get_role('administrator')?->add_cap('manage_woocommerce');
});

// Action Scheduler: https://actionscheduler.org/api/
function as_schedule_single_action(int $time, string $hook, array $arguments = [], string $group = ''): int
{
    $all = (array) get_option('stub_actions', []);
    $all[] = compact('time', 'hook', 'arguments', 'group');
    update_option('stub_actions', $all, false);
    return count($all);
}

function as_enqueue_async_action(string $hook, array $arguments = [], string $group = ''): int
{
    return as_schedule_single_action(time(), $hook, $arguments, $group);
}

/** A time for an action that waits, true for one that runs now. */
function as_next_scheduled_action(string $hook, ?array $arguments = null, string $group = ''): int|bool
{
    foreach ((array) get_option('stub_actions', []) as $one) {
        if ($one['hook'] === $hook && ($arguments === null || $one['arguments'] === $arguments) && $one['group'] === $group) {
            return $one['time'];
        }
    }
    return get_option('stub_runs') === [$hook, $arguments];
}

function as_unschedule_all_actions(string $hook, ?array $arguments = [], string $group = ''): void
{
    $stays = static fn (array $one): bool => !(($hook === '' || $one['hook'] === $hook) && $one['group'] === $group);
    update_option('stub_actions', array_values(array_filter((array) get_option('stub_actions', []), $stays)), false);
}
