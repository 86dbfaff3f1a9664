<?php

declare(strict_types=1);

namespace Lookalike\WooCommerce;

if (!defined('ABSPATH')) {
    exit;
}

/** The actions of Action Scheduler, which WooCommerce brings along: they survive a restart, and are seen under Tools. */
const GROUP = 'lookalike';
const SEND_CHANGED = 'lookalike_send_changed';
const SEND_ALL = 'lookalike_send_all';
const REMOVE = 'lookalike_remove';

/** Products that one action of a full run sends. */
const BATCH = 50;
/** A product that is saved several times in a moment is sent once. */
const SETTLE_S = 5;
/** Tries of one action, before somebody must look. */
const TRIES_MAX = 8;
/** What the last run did, for the page. uninstall.php removes it. */
const STATE = 'lookalike_sync';

/** The id in the service that a product was last sent under: a changed SKU must not leave the former one behind. */
const SENT_AS = '_lookalike_sent_as';

foreach (['woocommerce_new_product', 'woocommerce_update_product', 'woocommerce_product_set_stock_status', 'untrashed_post'] as $hook) {
    add_action($hook, __NAMESPACE__ . '\notice_change');
}
foreach (['woocommerce_trash_product', 'woocommerce_before_delete_product', 'wp_trash_post', 'before_delete_post'] as $hook) {
    add_action($hook, __NAMESPACE__ . '\notice_removal');
}
add_action(SEND_CHANGED, __NAMESPACE__ . '\send_changed', 10, 2);
add_action(SEND_ALL, __NAMESPACE__ . '\send_batch', 10, 3);
add_action(REMOVE, __NAMESPACE__ . '\remove', 10, 2);

function notice_change(mixed $id): void
{
    $id = (int) $id;
    if (!can_sync() || !function_exists('as_schedule_single_action') || get_post_type($id) !== 'product') {
        return;
    }
    $arguments = [$id, 1];
    // One that runs already has read the product from before this change; true stands for it, a time for one that waits.
    if (!is_int(as_next_scheduled_action(SEND_CHANGED, $arguments, GROUP))) {
        as_schedule_single_action(time() + SETTLE_S, SEND_CHANGED, $arguments, GROUP);
    }
}

function notice_removal(mixed $id): void
{
    $id = (int) $id;
    $sent = get_post_type($id) === 'product' ? get_post_meta($id, SENT_AS, true) : '';
    if (!can_sync() || !function_exists('as_enqueue_async_action') || !is_string($sent) || $sent === '') {
        return;
    }
    as_enqueue_async_action(REMOVE, [$sent, 1], GROUP);
    delete_post_meta($id, SENT_AS);
}

/** Sends one product, or takes it out of the service if shoppers may not find it any more. */
function send_changed(int $id, int $try = 1): void
{
    try_again(SEND_CHANGED, [$id], $try, static function () use ($id): void {
        $product = wc_get_product($id);
        $sent = (string) get_post_meta($id, SENT_AS, true);
        $wanted = $product instanceof \WC_Product && is_findable($product) ? product_id($product) : '';
        if ($wanted !== '') {
            call_service('POST', '/v1/products', describe_product($product));
            update_post_meta($id, SENT_AS, $wanted);
        }
        if ($sent !== '' && $sent !== $wanted) {
            remove_from_service($sent);
            if ($wanted === '') {
                delete_post_meta($id, SENT_AS);
            }
        }
    });
}

/** Begins a full run, in place of one that goes on. */
function begin_full_run(): void
{
    as_unschedule_all_actions(SEND_ALL, null, GROUP);
    $run = wp_generate_uuid4();
    update_option(STATE, ['run' => $run, 'state' => 'running', 'sent' => 0, 'skipped' => 0, 'error' => ''], false);
    as_enqueue_async_action(SEND_ALL, [0, $run, 1], GROUP);
}

/** Sends the next products after an id; the last batch ends the run. */
function send_batch(int $after, string $run, int $try = 1): void
{
    try_again(SEND_ALL, [$after, $run], $try, static function () use ($after, $run): void {
        $state = (array) get_option(STATE, []);
        // A batch that was under way when a new run began.
        if (($state['run'] ?? '') !== $run) {
            return;
        }
        $ids = product_ids_after($after);
        $products = array_filter(array_map('wc_get_product', $ids), static fn ($one): bool => $one instanceof \WC_Product);
        $findable = array_values(array_filter($products, __NAMESPACE__ . '\is_findable'));
        if ($findable !== []) {
            $body = ['products' => array_map(__NAMESPACE__ . '\describe_product', $findable)];
            // The same batch of the same run is the same work, also when its answer is lost.
            call_service('POST', '/v1/products/bulk', $body, "woocommerce-$run-$after");
            foreach ($findable as $product) {
                update_post_meta($product->get_id(), SENT_AS, product_id($product));
            }
        }
        // What was hidden or binned while nothing was sent by itself.
        foreach (array_diff_key($products, array_filter($products, __NAMESPACE__ . '\is_findable')) as $product) {
            $sent = (string) get_post_meta($product->get_id(), SENT_AS, true);
            if ($sent !== '') {
                remove_from_service($sent);
                delete_post_meta($product->get_id(), SENT_AS);
            }
        }
        $state['sent'] = (int) ($state['sent'] ?? 0) + count($findable);
        $state['skipped'] = (int) ($state['skipped'] ?? 0) + count($ids) - count($findable);
        $is_last = count($ids) < BATCH;
        $state['state'] = $is_last ? 'done' : 'running';
        $state['error'] = '';
        update_option(STATE, $state, false);
        if (!$is_last) {
            as_enqueue_async_action(SEND_ALL, [max($ids), $run, 1], GROUP);
        }
    });
}

/** @return list<int> the next ids, of products that are published or that the service has: a place by id stays right while products come and go. */
function product_ids_after(int $after): array
{
    global $wpdb;
    $query = $wpdb->prepare(
        "SELECT ID FROM {$wpdb->posts} WHERE post_type = 'product' AND ID > %d AND (post_status = 'publish'
            OR EXISTS (SELECT 1 FROM {$wpdb->postmeta} WHERE post_id = ID AND meta_key = %s)) ORDER BY ID LIMIT %d",
        $after,
        SENT_AS,
        BATCH,
    );
    return array_map('intval', $wpdb->get_col($query));
}

function remove(string $sent_as, int $try = 1): void
{
    try_again(REMOVE, [$sent_as], $try, static fn () => remove_from_service($sent_as));
}

/** @throws ServiceError */
function remove_from_service(string $sent_as): void
{
    try {
        call_service('DELETE', '/v1/products/' . rawurlencode($sent_as));
    } catch (ServiceError $error) {
        if ($error->error !== 'not_found') {
            throw $error;
        }
    }
}

/**
 * Does the work of an action. What waiting may mend is done again later; what it does not is said on the page, and fails the action, so that Action
 * Scheduler shows it, too.
 *
 * @param list<mixed> $arguments of the action, without the number of the try.
 */
function try_again(string $action, array $arguments, int $try, callable $work): void
{
    try {
        $work();
    } catch (ServiceError $error) {
        $goes_on = $error->retryAfterS > 0 && $try < TRIES_MAX;
        $state = (array) get_option(STATE, []);
        $state['error'] = $error->getMessage();
        if ($action === SEND_ALL && !$goes_on) {
            $state['state'] = 'failed';
        }
        update_option(STATE, $state, false);
        if (!$goes_on) {
            throw $error;
        }
        // Twice as long each time, at most a quarter of an hour.
        $wait = min(900, $error->retryAfterS * 2 ** ($try - 1));
        as_schedule_single_action(time() + $wait, $action, [...$arguments, $try + 1], GROUP);
    }
}
