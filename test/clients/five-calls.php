<?php

/** The five calls of the README, by the client of PHP: five-calls.php URL CLIENT_ID CLIENT_SECRET PHOTO. Prints what they gave as JSON. */

declare(strict_types=1);

require 'GuzzleHttp/autoload.php';
require __DIR__ . '/../../scripts/clients/php/Lookalike.php';

use Lookalike\Client;
use Lookalike\File;
use Lookalike\LookalikeException;

[, $url, $clientId, $clientSecret, $photo] = $argv;
$factory = new GuzzleHttp\Psr7\HttpFactory();
// PSR-18: an answer of the service is no error of the client.
$http = new GuzzleHttp\Client(['http_errors' => false]);
$shop = new Client($http, $factory, $factory, $url, clientId: $clientId, clientSecret: $clientSecret);

$demo = $shop->call('POST', '/v1/products/demo');
$words = $shop->call('POST', '/v1/search/text', json: ['query' => 'red mug', 'limit' => 5]);
$metadata = ['name' => 'My first product', 'category' => 'mugs', 'price' => 14.5, 'shelf' => 'A3'];
$form = ['product_id' => 'sku ü', 'image' => File::read($photo), 'metadata' => $metadata];
$product = $shop->call('POST', '/v1/products', form: $form);
$search = ['image' => File::read($photo), 'limit' => 5, 'price_max' => 50, 'explain' => true];
$picture = $shop->call('POST', '/v1/search', form: $search);
try {
    $shop->call('GET', '/v1/products/{product_id}', pathValues: ['product_id' => 'a/b']);
    $refusal = 'none';
} catch (LookalikeException $error) {
    $refusal = $error->error;
}
$listed = iterator_count($shop->pages('/v1/products', 'products', query: ['limit' => 15]));
$shop->call('DELETE', '/v1/products/{product_id}', pathValues: ['product_id' => 'sku ü']);
$pictureUrl = 'data:image/webp;base64,' . base64_encode(File::read($photo)->bytes);
$bulk = [['product_id' => 'bulk-1', 'image_url' => $pictureUrl, 'metadata' => ['name' => 'x']]];
$begun = $shop->call('POST', '/v1/products/bulk', json: ['products' => $bulk], idempotencyKey: 'php');
$job = $shop->waitForJob($begun['job_id'], 0.2);
$shop->call('DELETE', '/v1/products/{product_id}', pathValues: ['product_id' => 'bulk-1']);

echo json_encode([
    'demo' => count($demo['products']),
    'words' => $words['results'][0]['product_id'],
    'indexed' => $product['status'],
    'picture' => $picture['results'][0]['metadata']['shelf'] ?? null,
    'refusal' => $refusal,
    'listed' => $listed,
    'job' => $job['status'],
]), "\n";
