<?php
// A WordPress with three products, of which the snippet knows only what it calls. Prints what a visitor would get, as JSON.

declare(strict_types=1);

define('ABSPATH', '/');
$hooks = [];
$answer = ['status' => 200, 'location' => null];

class WC_Product
{
    public function __construct(private int $id, private int $parent, private string $link)
    {
    }
    public function get_id(): int { return $this->id; }
    public function get_parent_id(): int { return $this->parent; }
    public function get_permalink(): string { return $this->link; }
}

const PRODUCTS = [7 => 'MUG-1', 8 => '', 9 => '4711', 10 => 'DRAFT', 11 => 'MUG-1-RED'];
const STATUSES = [7 => 'publish', 8 => 'publish', 9 => 'publish', 10 => 'draft', 11 => 'publish'];

function add_action(string $name, callable $act, int $priority = 10, int $count = 1): void
{
    $GLOBALS['hooks'][$name][] = $act;
}
function wc_get_product_id_by_sku(string $sku): int
{
    return (int) array_search($sku, PRODUCTS, true);
}
function wc_get_product(int $id): WC_Product|false
{
    $parent = $id === 11 ? 7 : 0;
    $link = "https://shop.example/product/$id/";
    return isset(PRODUCTS[$id]) ? new WC_Product($id, $parent, $link) : false;
}
function get_post_status(int $id): string|false { return STATUSES[$id] ?? false; }
function wp_unslash(string $text): string { return stripslashes($text); }
function wp_safe_redirect(string $to, int $status, string $by): void
{
    $GLOBALS['answer'] = ['status' => $status, 'location' => $to];
}
function status_header(int $status): void { $GLOBALS['answer']['status'] = $status; }
function nocache_headers(): void {}
function home_url(string $path): string { return "https://shop.example/en$path"; }
function get_locale(): string { return 'de_AT'; }
function wp_print_script_tag(array $attributes): void { $GLOBALS['answer']['script'] = $attributes; }

$wp_query = new class {
    public function set_404(): void { $GLOBALS['answer']['is404'] = true; }
};

register_shutdown_function(static function (): void {
    echo json_encode($GLOBALS['answer']);
});
parse_str($argv[2] ?? '', $_GET);
require $argv[1];
foreach ($hooks['template_redirect'] as $act) {
    $act();
}
$hooks['wp_footer'][0]();
