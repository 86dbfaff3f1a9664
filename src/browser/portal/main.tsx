import { render } from 'preact'
import { language } from './language.ts'
import { applyTheme, readView } from './look-settings.ts'
import { App } from './shell/app.tsx'
import { followLinks } from './shell/routes.ts'

document.documentElement.lang = language
applyTheme(readView())
followLinks()
const root = document.getElementById('portal')
if (root) render(<App />, root)
