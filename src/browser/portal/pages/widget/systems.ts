import type { StoreSettings } from '#generated/api.ts'

export type System = NonNullable<StoreSettings['shop_system']>

/** What is usual in each system: where its products open, and which field its visitors search with. */
export const SYSTEMS: Readonly<Record<System, { template: string; searchField: string }>> = {
  woocommerce: { template: '/?lookalike={product_id}', searchField: 'input[type=search][name=s]' },
  shopify: { template: '/products/{product_id}', searchField: 'input[name=q]' },
  shopware: { template: '/detail/{product_id}', searchField: 'input[name=search]' },
  prestashop: {
    template: '/index.php?controller=product&id_product={product_id}',
    searchField: 'input[name=s]',
  },
  magento: { template: '/catalog/product/view/id/{id}', searchField: '#search' },
  opencart: {
    template: '/index.php?route=product/product&product_id={product_id}',
    searchField: 'input[name=search]',
  },
  other: { template: '/products/{product_id}', searchField: 'input[type=search]' },
}

export const SYSTEM_NAMES = Object.keys(SYSTEMS) as System[]
