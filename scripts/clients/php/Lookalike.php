<?php

declare(strict_types=1);

namespace Lookalike;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamFactoryInterface;

/**
 * What the service has answered in place of success.
 *
 * $error stays from version to version ("not_found"); /errors of the service lists them. $requestId names the request in its log.
 */
final class LookalikeException extends \RuntimeException
{
    /** @param array<string, mixed> $details */
    public function __construct(
        public readonly int $status,
        public readonly string $error,
        string $message,
        public readonly array $details,
        public readonly ?string $requestId,
    ) {
        parent::__construct($message, $status);
    }
}

/** A file of a form. */
final class File
{
    public function __construct(public readonly string $bytes, public readonly string $name = 'file')
    {
    }

    /** @throws \RuntimeException for a file that cannot be read. */
    public static function read(string $path): self
    {
        $bytes = @file_get_contents($path);
        if ($bytes === false) {
            throw new \RuntimeException("$path cannot be read");
        }
        return new self($bytes, basename($path));
    }
}

/**
 * Client of Lookalike, the self-hosted visual product search. One file for PHP 8.1 and later; it sends its requests with any client of PSR-18.
 *
 *     $shop = new Lookalike\Client($http, $factory, $factory, 'https://search.shop.example', clientId: '…', clientSecret: '…');
 *     $found = $shop->call('POST', '/v1/search/text', json: ['query' => 'red mug', 'limit' => 5]);
 *
 * Every operation of the API is a method and a path; /docs of the service describes them. Tokens, pages, refusals for the moment and stores
 * that have moved to another node are taken care of.
 */
final class Client
{
    /** A token is renewed before it ends, so that it does not end on the way. */
    private const RENEW_BEFORE_S = 60;
    private const WAIT_START_S = 0.5;
    private const HOPS_MAX = 3;

    private string $base;
    private ?string $token = null;
    private float $tokenUntil = 0;

    /**
     * @param int $retries how often a request is sent again that the service has refused for the moment.
     * @param float $waitMaxS the longest wait before that, in seconds.
     * @throws \InvalidArgumentException for options that cannot work.
     */
    public function __construct(
        private readonly ClientInterface $http,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
        string $url,
        private readonly ?string $clientId = null,
        private readonly ?string $clientSecret = null,
        private readonly ?string $apiKey = null,
        private readonly int $retries = 4,
        private readonly float $waitMaxS = 60,
    ) {
        if (preg_match('~^https?://~', $url) !== 1) {
            throw new \InvalidArgumentException('The URL must begin with https:// or http://');
        }
        if (($clientId !== null && $clientSecret !== null) === ($apiKey !== null)) {
            throw new \InvalidArgumentException('Give clientId and clientSecret, or apiKey');
        }
        $this->base = rtrim($url, '/');
    }

    /**
     * Calls an operation. The parameters are those of raw().
     *
     * @return mixed the answer; null for one without content.
     * @throws LookalikeException for every answer that is none of success.
     * @throws ClientExceptionInterface where none came.
     */
    public function call(string $method, string $path, mixed ...$options): mixed
    {
        $text = (string) $this->raw($method, $path, ...$options)->getBody();
        return $text === '' ? null : json_decode($text, true, 512, JSON_THROW_ON_ERROR);
    }

    /**
     * Calls an operation, and returns the answer as it came: for pictures and exports.
     *
     * @param array<string, string> $pathValues what stands for the braces of the path: ['product_id' => 'sku-1'].
     * @param array<string, mixed> $query
     * @param mixed $json sent as JSON.
     * @param ?array<string, mixed> $form sent as multipart: a File as a file, arrays as JSON, everything else as text.
     * @param array<string, string> $headers
     * @param ?string $idempotencyKey lets a POST be sent again after a lost answer; the service does the work once.
     */
    public function raw(
        string $method,
        string $path,
        array $pathValues = [],
        array $query = [],
        mixed $json = null,
        ?array $form = null,
        array $headers = [],
        ?string $idempotencyKey = null,
    ): ResponseInterface {
        foreach ($pathValues as $name => $value) {
            $path = str_replace('{' . $name . '}', rawurlencode($value), $path);
        }
        $known = array_filter($query, static fn (mixed $value): bool => $value !== null);
        if ($known !== []) {
            $path .= '?' . http_build_query(array_map(self::toText(...), $known), '', '&', PHP_QUERY_RFC3986);
        }
        [$body, $type] = match (true) {
            $form !== null => self::formatForm($form),
            $json !== null => [json_encode($json, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES), 'application/json'],
            default => [null, null],
        };
        if ($idempotencyKey !== null) {
            $headers['Idempotency-Key'] = $idempotencyKey;
        }
        $isSafe = !in_array($method, ['POST', 'PATCH'], true) || $idempotencyKey !== null;
        $authorize = fn (): array => ['Authorization' => 'Bearer ' . $this->readToken()];
        return $this->insist($method, $path, $body, $type, $headers, $isSafe, $authorize);
    }

    /**
     * Goes through every entry of a list, page by page.
     *
     * @param string $entries the field that has them: 'products'.
     * @param array<string, mixed> $query
     * @return \Generator<int, mixed>
     */
    public function pages(string $path, string $entries, array $query = []): \Generator
    {
        $cursor = null;
        do {
            $page = $this->call('GET', $path, query: [...$query, 'cursor' => $cursor]);
            foreach ($page[$entries] as $entry) {
                yield $entry;
            }
            $cursor = $page['next_cursor'] ?? null;
        } while ($cursor !== null);
    }

    /**
     * Waits until a job is done.
     *
     * @return array<string, mixed> the job, also if some of its products failed.
     */
    public function waitForJob(string $jobId, float $everyS = 1): array
    {
        for (;;) {
            $job = $this->call('GET', '/v1/jobs/{job_id}', pathValues: ['job_id' => $jobId]);
            if ($job['status'] !== 'processing') {
                return $job;
            }
            self::sleep($everyS);
        }
    }

    private function readToken(): string
    {
        if ($this->apiKey !== null) {
            return $this->apiKey;
        }
        if ($this->token === null || microtime(true) >= $this->tokenUntil) {
            $body = http_build_query([
                'grant_type' => 'client_credentials',
                'client_id' => $this->clientId,
                'client_secret' => $this->clientSecret,
            ]);
            $type = 'application/x-www-form-urlencoded';
            $answer = $this->insist('POST', '/oauth/token', $body, $type, [], true, static fn (): array => []);
            $granted = json_decode((string) $answer->getBody(), true, 512, JSON_THROW_ON_ERROR);
            $life = $granted['expires_in'];
            $this->token = $granted['access_token'];
            $this->tokenUntil = microtime(true) + $life - min(self::RENEW_BEFORE_S, $life / 2);
        }
        return $this->token;
    }

    /**
     * Sends a request until it is answered for good.
     *
     * @param array<string, string> $headers
     * @param bool $isSafe whether it may be sent again when nobody knows what became of it.
     * @param callable(): array<string, string> $authorize
     */
    private function insist(
        string $method,
        string $path,
        ?string $body,
        ?string $type,
        array $headers,
        bool $isSafe,
        callable $authorize,
    ): ResponseInterface {
        $tries = 0;
        $hops = 0;
        $hasRenewed = false;
        for (;;) {
            // The token comes first: it may bring the address of another node.
            $all = [...$authorize(), ...$headers];
            $request = $this->requests->createRequest($method, $this->base . $path);
            foreach ($all as $name => $value) {
                $request = $request->withHeader($name, $value);
            }
            if ($body !== null) {
                $request = $request->withHeader('Content-Type', (string) $type)->withBody($this->streams->createStream($body));
            }
            try {
                $answer = $this->http->sendRequest($request);
            } catch (ClientExceptionInterface $error) {
                if (!$isSafe || $tries >= $this->retries) {
                    throw $error;
                }
                self::sleep(self::backOff($tries++));
                continue;
            }
            $status = $answer->getStatusCode();
            if ($status >= 200 && $status < 300) {
                return $answer;
            }
            $error = self::readError($answer);
            $elsewhere = $error->details['url'] ?? null;
            if ($status === 421 && $this->isNode($elsewhere) && $hops < self::HOPS_MAX) {
                $hops++;
                $this->base = rtrim($elsewhere, '/');
                $this->token = null;
            } elseif ($error->error === 'token_expired' && $this->apiKey === null && !$hasRenewed) {
                $hasRenewed = true;
                $this->token = null;
            } elseif (($status === 429 || $status === 503) && $tries < $this->retries) {
                $after = $answer->getHeaderLine('Retry-After');
                $seconds = ctype_digit($after) ? (float) $after : self::backOff($tries);
                if ($seconds > $this->waitMaxS) {
                    throw $error;
                }
                $tries++;
                self::sleep($seconds);
            } else {
                throw $error;
            }
        }
    }

    /** Whether a secret may follow a store to an address: never from https to http. */
    private function isNode(mixed $url): bool
    {
        $pattern = str_starts_with($this->base, 'https://') ? '~^https://~' : '~^https?://~';
        return is_string($url) && preg_match($pattern, $url) === 1;
    }

    private static function readError(ResponseInterface $answer): LookalikeException
    {
        $status = $answer->getStatusCode();
        $body = json_decode((string) $answer->getBody(), true);
        $body = is_array($body) ? $body : [];
        return new LookalikeException(
            $status,
            $body['error'] ?? 'unknown',
            $body['message'] ?? "The service answered $status",
            is_array($body['details'] ?? null) ? $body['details'] : [],
            $answer->getHeaderLine('X-Request-Id') ?: null,
        );
    }

    /**
     * @param array<string, mixed> $form
     * @return array{string, string} the body, and its type.
     */
    private static function formatForm(array $form): array
    {
        $boundary = bin2hex(random_bytes(16));
        $body = '';
        foreach ($form as $name => $value) {
            if ($value === null) {
                continue;
            }
            $quote = static fn (string $text): string => str_replace(['"', "\r", "\n"], ['%22', '%0D', '%0A'], $text);
            $file = $value instanceof File ? '; filename="' . $quote($value->name) . "\"\r\nContent-Type: application/octet-stream" : '';
            $content = $value instanceof File ? $value->bytes : self::toText($value);
            $body .= "--$boundary\r\nContent-Disposition: form-data; name=\"" . $quote((string) $name) . "\"$file\r\n\r\n$content\r\n";
        }
        return ["$body--$boundary--\r\n", "multipart/form-data; boundary=$boundary"];
    }

    private static function toText(mixed $value): string
    {
        return match (true) {
            is_bool($value) => $value ? 'true' : 'false',
            is_array($value) => json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES),
            default => (string) $value,
        };
    }

    /** Twice as long each time, and never at the same moment as others. */
    private static function backOff(int $tries): float
    {
        return self::WAIT_START_S * 2 ** $tries * random_int(500, 1000) / 1000;
    }

    private static function sleep(float $seconds): void
    {
        usleep((int) ($seconds * 1_000_000));
    }
}
