<?php

declare(strict_types=1);

// Everything that the plugin has stored goes. The products in the service stay: delete the store there, or the products, if they are not wanted.
if (!defined('WP_UNINSTALL_PLUGIN')) {
    exit;
}

if (function_exists('as_unschedule_all_actions')) {
    as_unschedule_all_actions('', [], 'lookalike');
}
delete_option('lookalike_settings');
delete_option('lookalike_sync');
delete_transient('lookalike_token');
delete_transient('lookalike_tried');
delete_post_meta_by_key('_lookalike_sent_as');
