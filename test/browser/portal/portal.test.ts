import { accountTests } from './account.ts'
import { adminTests } from './admin.ts'
import { analyticsTests } from './analytics.ts'
import { importTests } from './importing.ts'
import { overviewTests } from './overview.ts'
import { playgroundTests } from './playground.ts'
import { productTests } from './products.ts'
import { signingInTests } from './signing-in.ts'
import { storePageTests } from './store-pages.ts'
import { storeTests } from './stores.ts'
import { widgetTests } from './widget.ts'

// One file, so that all pages share one service and one browser.
signingInTests()
storeTests()
productTests()
overviewTests()
playgroundTests()
accountTests()
importTests()
storePageTests()
widgetTests()
analyticsTests()
adminTests()
