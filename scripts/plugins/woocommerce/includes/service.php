<?php

declare(strict_types=1);

namespace Lookalike\WooCommerce;

if (!defined('ABSPATH')) {
    exit;
}

/** What the service, or the way to it, has said in place of success. */
final class ServiceError extends \RuntimeException
{
    /** @param int $retryAfterS how long to wait before the next try; 0 for an error that waiting does not mend. */
    public function __construct(string $message, public readonly string $error, public readonly int $retryAfterS = 0)
    {
        parent::__construct($message);
    }
}

/** A token is renewed before it ends. */
const RENEW_BEFORE_S = 60;
const TOKEN = 'lookalike_token';
const TIMEOUT_S = 30;
/** Without a word of the service about when it is free. */
const RETRY_AFTER_S = 60;

/**
 * Calls an operation of the service with the credentials of the store.
 *
 * @param array<string, mixed>|null $body sent as JSON.
 * @return array<string, mixed>
 * @throws ServiceError
 */
function call_service(string $method, string $path, ?array $body = null, ?string $idempotency_key = null): array
{
    $request = static fn (): array => [
        'method' => $method,
        'headers' => array_filter([
            'Authorization' => 'Bearer ' . read_token(),
            'Content-Type' => $body === null ? null : 'application/json',
            'Idempotency-Key' => $idempotency_key,
        ]),
        'body' => $body === null ? null : wp_json_encode($body),
    ];
    try {
        return send($path, $request());
    } catch (ServiceError $error) {
        if (!in_array($error->error, ['token_expired', 'unauthorized', 'token_revoked'], true)) {
            throw $error;
        }
    }
    // The secret may have been rotated, or the service restored: one more try with a new token.
    delete_transient(TOKEN);
    return send($path, $request());
}

function read_token(): string
{
    $token = get_transient(TOKEN);
    if (is_string($token)) {
        return $token;
    }
    $settings = settings();
    $granted = send('/oauth/token', [
        'method' => 'POST',
        'headers' => ['Content-Type' => 'application/x-www-form-urlencoded'],
        'body' => http_build_query([
            'grant_type' => 'client_credentials',
            'client_id' => $settings['client_id'],
            'client_secret' => $settings['client_secret'],
        ]),
    ]);
    $token = (string) ($granted['access_token'] ?? '');
    set_transient(TOKEN, $token, max(1, (int) ($granted['expires_in'] ?? 0) - RENEW_BEFORE_S));
    return $token;
}

/**
 * @param array<string, mixed> $request
 * @return array<string, mixed>
 * @throws ServiceError
 */
function send(string $path, array $request): array
{
    // An address of the shop's own network is what an operator may have named: this is no address from outside.
    $answer = wp_remote_request(settings()['service'] . $path, ['timeout' => TIMEOUT_S, 'redirection' => 0] + $request);
    if (is_wp_error($answer)) {
        throw new ServiceError($answer->get_error_message(), 'unreachable', RETRY_AFTER_S);
    }
    $status = (int) wp_remote_retrieve_response_code($answer);
    $content = json_decode((string) wp_remote_retrieve_body($answer), true);
    $content = is_array($content) ? $content : [];
    if ($status >= 200 && $status < 300) {
        return $content;
    }
    $after = (int) wp_remote_retrieve_header($answer, 'retry-after');
    $is_brief = $status === 429 || $status >= 500;
    throw new ServiceError(
        (string) ($content['message'] ?? "The service answered $status"),
        (string) ($content['error'] ?? 'unknown'),
        $is_brief ? max(1, $after ?: RETRY_AFTER_S) : 0,
    );
}
