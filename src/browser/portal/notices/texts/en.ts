import { pluralsIn } from '../../texts/plurals.ts'
import type { NoticeTexts } from '../describe.ts'

const { counted, plural } = pluralsIn('en')

const products = (count: string) => counted(count, 'product', 'products')

export const texts: NoticeTexts = {
  items_failed: ({ failed, total }) =>
    `${failed} of ${products(total)} failed in the last job with failures.`,
  import_warnings: ({ count }) => `The last import has ${counted(count, 'warning', 'warnings')}.`,
  feeds_failing: ({ feeds, failures }) =>
    `${counted(feeds, 'feed', 'feeds')} could not be read${plural(failures, '', `, up to ${failures} times in a row`)}.`,
  feeds_stopped: ({ feeds }) =>
    `${counted(feeds, 'feed', 'feeds')} deleted nothing in the last run, because too many products were missing.`,
  products_without_name: ({ products: count, total }) =>
    `${count} of ${products(total)} ${plural(count, 'has', 'have')} no name.`,
  products_without_price: ({ products: count, total }) =>
    `${count} of ${products(total)} ${plural(count, 'has', 'have')} no price.`,
  products_without_category: ({ products: count, total }) =>
    `${count} of ${products(total)} ${plural(count, 'has', 'have')} no category.`,
  products_without_address: ({ products: count, total }) =>
    `${count} of ${products(total)} ${plural(count, 'leads', 'lead')} nowhere: the address in your shop is missing.`,
  products_sold_out: ({ products: count, total }) =>
    `${count} of ${products(total)} ${plural(count, 'is', 'are')} sold out.`,
  catalogue_report: ({ count }) =>
    `The report about the catalogue names ${counted(count, 'thing', 'things')} to correct.`,
  no_clicks: ({ searches, days }) =>
    `${counted(searches, 'search', 'searches')} in ${counted(days, 'day', 'days')}, and no click arrives.`,
  clicks_unattributed: () => 'Clicks arrive, but they name no search, so nobody knows what led to them.',
  clicks_partial: () => 'Some pages search and tell of no clicks.',
  no_purchases: () => 'Searches and clicks arrive, but no purchases.',
  empty_searches: ({ zero_results, searches, days }) =>
    `${zero_results} of ${counted(searches, 'search', 'searches')} in ${counted(days, 'day', 'days')} found nothing.`,
  unmet_demand: ({ searches }) =>
    `Shoppers showed ${counted(searches, 'picture', 'pictures')} for which the store had nothing alike.`,
  products_near_limit: ({ percent, used, limit }) =>
    `The plan is ${percent} % full: ${used} of ${products(limit)}.`,
  storage_near_limit: ({ percent }) => `Pictures fill ${percent} % of the storage of the plan.`,
  api_keys_expiring: ({ keys }) => `${counted(keys, 'API key', 'API keys')} will expire within 30 days.`,
  api_keys_of_former_members: ({ keys }) =>
    `${counted(keys, 'API key', 'API keys')} of former members can do nothing any more.`,
  webhooks_failing: ({ webhooks, disabled }) =>
    `Messages to ${counted(webhooks, 'webhook', 'webhooks')} fail${disabled === '0' ? '' : `; switched off for it: ${disabled}`}.`,
  own_2fa_missing: () => 'Your account has no second factor.',
  members_without_2fa: ({ members }) =>
    `${counted(members, 'other member has', 'other members have')} no second factor.`,
}
