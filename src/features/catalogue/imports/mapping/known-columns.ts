import { headerKey } from './headers.ts'
import type { Platform } from './mapping.ts'

/**
 * Columns that say nothing to a search, by the beginnings of their keys: stock keeping, tax, shipping, sizes of parcels,
 * search engines, and the layout of a shop's pages.
 */
const ALWAYS = [
  'tax,meta title,meta keyword,meta description,meta robots,seo,weight,length,width,height,depth,position,sort order,shipping,download,visibility,minimum,low stock',
  'google shopping,cost per item,gift card,unit price,base measure,wholesale,ecotax,date,created,updated,layout,store id',
  'custom layout,related,upsell,up sell,cross sell,crosssell,product online,page layout,points,website id,redirect',
].flatMap((line) => line.split(','))

const BY_PLATFORM: Readonly<Partial<Record<Platform, string>>> = {
  shopify:
    'variant grams,variant weight,variant inventory,variant fulfillment,variant requires,variant taxable,variant tax,image position,image alt,option,template suffix,charge tax,requires shipping,fulfillment,inventory tracker,product image position,product image alt,included,price international,compare at price international,weight value,weight unit,unit measure,published scope,command,tags command,row,top row,variant id,variant command,variant position,variant cost,variant hs,variant country,variant unit,total inventory,collection,custom collections',
  woocommerce:
    'is featured,sold individually,allow customer reviews,purchase note,shipping class,grouped products,external url,button text,attribute,swatches,parent',
  prestashop:
    'on sale,supplier,delivery,minimal,receive,additional shipping,unity,url rewritten,text when,product available,product creation,show price,image alt,delete existing,available online,condition,customizable,uploadable,text fields,out of stock,virtual product,file url,number of allowed,expiration,id name of shop,advanced stock,depends on,warehouse,accessories',
  opencart: 'location,model,subtract,stock status,store ids,main category,viewed,status,recurring,shipping',
  magento:
    'store view,attribute set,product type,product websites,url key,map,msrp,gift message,display product options,new from,new to,small image,thumbnail image,swatch image,base image label,additional image labels,configurable,bundle,associated,hide from,qty,out of stock,use config,is qty,is decimal,allow backorders,notify,enable qty,manage stock,max cart,min cart,is in stock,website,related skus,custom options,country of manufacture,deferred stock',
  google:
    'identifier exists,multipack,is bundle,energy efficiency,installment,loyalty,adult,promotion id,return policy,included destination,excluded destination,shopping ads,pause,handling,transit,mobile link,ads',
}

const WORDS = new Map<Platform, readonly string[]>(
  Object.entries(BY_PLATFORM).map(([platform, line]) => [platform as Platform, line.split(',')]),
)

/** Whether a column that nothing reads is known to be of no use for a search. @param column its English title. */
export function isNeverWanted(platform: Platform, column: string): boolean {
  // Fields that a plug-in of WooCommerce keeps for itself.
  if (/^meta: ?_/i.test(column)) return true
  const key = headerKey(column)
  const begins = (beginning: string) =>
    key === beginning || key.startsWith(`${beginning} `) || isPlural(key, beginning)
  return ALWAYS.some(begins) || (WORDS.get(platform)?.some(begins) ?? false)
}

const isPlural = (key: string, word: string): boolean => key === `${word}s` || key.startsWith(`${word}s `)
