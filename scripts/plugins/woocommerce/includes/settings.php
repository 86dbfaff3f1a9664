<?php

declare(strict_types=1);

namespace Lookalike\WooCommerce;

if (!defined('ABSPATH')) {
    exit;
}

/** What a fresh plugin has: nothing is sent, and nothing is shown, before somebody has named the service. */
const DEFAULTS = [
    'service' => '',
    'client_id' => '',
    'client_secret' => '',
    'widget_key' => '',
    'pages' => 'all',
    'needs_consent' => false,
    'camera' => 'input[type=search][name=s]',
    'sync' => true,
];

/** Where the widget may be. */
const PAGES = ['all', 'shop', 'chosen'];

/** @return array{service: string, client_id: string, client_secret: string, widget_key: string, pages: string, needs_consent: bool, camera: string, sync: bool} */
function settings(): array
{
    $stored = get_option(OPTION, []);
    return array_merge(DEFAULTS, array_intersect_key(is_array($stored) ? $stored : [], DEFAULTS));
}

function can_sync(): bool
{
    $settings = settings();
    return $settings['sync'] && $settings['service'] !== '' && $settings['client_id'] !== '' && $settings['client_secret'] !== '';
}

function has_widget(): bool
{
    $settings = settings();
    return $settings['service'] !== '' && $settings['widget_key'] !== '';
}

/**
 * Reads what somebody has typed. What is wrong keeps its former value, and the page says why.
 *
 * @param mixed $input
 * @return array<string, mixed>
 */
function read_settings(mixed $input): array
{
    $former = settings();
    $input = is_array($input) ? $input : [];
    $text = static fn (string $name): string => is_string($input[$name] ?? null) ? trim(sanitize_text_field($input[$name])) : '';
    // WordPress reads a new option twice: the second time it is what the first has made.
    $tick = static fn (string $name): bool => in_array($input[$name] ?? false, ['1', true], true);
    $read = [
        'service' => rtrim($text('service'), '/'),
        'client_id' => $text('client_id'),
        // An empty field keeps the secret: the page never shows it.
        'client_secret' => $text('client_secret') !== '' ? $text('client_secret') : $former['client_secret'],
        'widget_key' => $text('widget_key'),
        'pages' => in_array($text('pages'), PAGES, true) ? $text('pages') : DEFAULTS['pages'],
        'needs_consent' => $tick('needs_consent'),
        'camera' => $text('camera'),
        'sync' => $tick('sync'),
    ];
    if ($read['service'] !== '' && !is_service_address($read['service'])) {
        add_settings_error(OPTION, 'service', __('The address of the service must begin with https:// and have no path.', 'lookalike'));
        $read['service'] = $former['service'];
    }
    if ($read['widget_key'] !== '' && !str_starts_with($read['widget_key'], 'pk_')) {
        // A secret key in a page is everybody's.
        add_settings_error(OPTION, 'widget_key', __('The widget key begins with pk_. A key that begins with sk_ is secret: never put it here.', 'lookalike'));
        $read['widget_key'] = $former['widget_key'];
    }
    return $read;
}

/** http is for a service on this machine. */
function is_service_address(string $address): bool
{
    return preg_match('~^(https://[^/\s"\'<>?#]+|http://(127\.0\.0\.1|localhost)(:\d+)?)$~', $address) === 1;
}
