<?php

/** Does one thing in a WordPress, and prints what it gave as JSON: wordpress-driver.php FOLDER COMMAND [JSON]. */

declare(strict_types=1);

[, $folder, $command] = $argv;
$input = json_decode($argv[3] ?? 'null', true);
define('WP_ADMIN', true);
$_SERVER += ['HTTP_HOST' => 'shop.test', 'REQUEST_METHOD' => 'GET', 'SERVER_NAME' => 'shop.test', 'REQUEST_URI' => '/'];
require "$folder/wp-load.php";
require_once ABSPATH . 'wp-admin/includes/plugin.php';
require_once ABSPATH . 'wp-admin/includes/image.php';
wp_set_current_user(1);

/** Puts a file among the media. */
function add_picture(string $path): int
{
    $name = basename($path);
    $bytes = file_get_contents($path);
    $upload = wp_upload_bits($name, null, $bytes);
    $id = wp_insert_attachment(['post_mime_type' => wp_check_filetype($name)['type'], 'post_title' => $name, 'post_status' => 'inherit'], $upload['file']);
    wp_update_attachment_metadata($id, wp_generate_attachment_metadata($id, $upload['file']));
    return $id;
}

/** @param array<string, mixed> $input */
function add_product(array $input): int
{
    $meta = array_filter([
        '_sku' => $input['sku'] ?? '',
        '_regular_price' => $input['price'] ?? '',
        '_sale_price' => $input['sale'] ?? '',
        '_visibility' => $input['visibility'] ?? '',
        'attribute_pa_color' => $input['color'] ?? '',
        '_thumbnail_id' => isset($input['picture']) ? (string) add_picture($input['picture']) : '',
    ], static fn ($value): bool => $value !== '');
    $id = wp_insert_post([
        'post_type' => 'product',
        'post_title' => $input['name'],
        'post_content' => $input['description'] ?? '',
        'post_status' => $input['status'] ?? 'publish',
        'meta_input' => $meta,
    ], true);
    $parent = 0;
    foreach ($input['categories'] ?? [] as $name) {
        $term = term_exists($name, 'product_cat', $parent) ?: wp_insert_term($name, 'product_cat', ['parent' => $parent]);
        $parent = (int) $term['term_id'];
    }
    if ($parent > 0) {
        wp_set_object_terms($id, [$parent], 'product_cat');
    }
    return $id;
}

/** Runs what is due, until nothing is left. @return list<string> what each action said. */
function run_actions(): array
{
    $said = [];
    for ($n = 0; $n < 100; $n++) {
        $all = (array) get_option('stub_actions', []);
        $next = array_shift($all);
        if ($next === null) {
            break;
        }
        update_option('stub_actions', $all, false);
        try {
            update_option('stub_runs', [$next['hook'], $next['arguments']], false);
            do_action_ref_array($next['hook'], $next['arguments']);
            $said[] = "{$next['hook']} done";
        } catch (Throwable $error) {
            $said[] = "{$next['hook']} failed: {$error->getMessage()}";
        } finally {
            delete_option('stub_runs');
        }
    }
    return $said;
}

$output = match ($command) {
    'activate' => [switch_theme('plain'), activate_plugins($input)][1],
    'page' => wp_insert_post(['post_type' => 'page', 'post_title' => 'Page', 'post_status' => 'publish', 'post_content' => wp_slash($input)], true),
    'add' => add_product($input),
    'actions' => run_actions(),
    'while running' => (static function () use ($input): array {
        update_option('stub_runs', ['lookalike_send_changed', [$input, 1]], false);
        wp_update_post(['ID' => $input]);
        delete_option('stub_runs');
        return array_column((array) get_option('stub_actions', []), 'hook');
    })(),
    'waiting' => array_values((array) get_option('stub_actions', [])),
    'set' => (static function () use ($input): int {
        foreach ($input['meta'] ?? [] as $name => $value) {
            update_post_meta($input['id'], $name, $value);
        }
        return wp_update_post(['ID' => $input['id']] + ($input['post'] ?? []));
    })(),
    'trash' => wp_trash_post($input) instanceof WP_Post,
    'option' => update_option('lookalike_settings', array_merge((array) get_option('lookalike_settings', []), $input)),
    'options' => get_option('lookalike_settings'),
    'state' => get_option('lookalike_sync'),
    'uninstall' => (static function (): array {
        deactivate_plugins('lookalike/lookalike.php');
        uninstall_plugin('lookalike/lookalike.php');
        global $wpdb;
        return $wpdb->get_col("SELECT option_name FROM {$wpdb->options} WHERE option_name LIKE '%lookalike%' UNION SELECT meta_key FROM {$wpdb->postmeta} WHERE meta_key LIKE '%lookalike%'");
    })(),
};
echo json_encode($output);
