import { accountTests } from './account.ts'
import { adminTests } from './admin.ts'
import { developerTests } from './developer.ts'
import { mailLinkTests } from './mail-links.ts'
import { merchandisingTests } from './merchandising.ts'
import { signingInTests } from './signing-in.ts'
import { storePageTests } from './store-pages.ts'
import { storeTests } from './stores.ts'

// One file, so that these pages share one service and one browser; the other half runs beside it.
signingInTests()
mailLinkTests()
storeTests()
accountTests()
storePageTests()
developerTests()
adminTests()
merchandisingTests()
