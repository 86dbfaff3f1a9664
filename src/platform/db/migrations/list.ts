import stores from './0001_stores.sql' with { type: 'text' }
import products from './0002_products.sql' with { type: 'text' }
import searches from './0003_searches.sql' with { type: 'text' }
import access from './0004_access.sql' with { type: 'text' }
import signIns from './0005_sign_ins.sql' with { type: 'text' }

/** Applied once each, in this order. Add at the end; never edit one that has shipped. */
export const migrations: readonly string[] = [stores, products, searches, access, signIns]
