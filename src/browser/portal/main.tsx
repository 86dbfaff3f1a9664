import { render } from 'preact'
import { language } from './language.ts'
import { App } from './shell/app.tsx'
import { followLinks } from './shell/routes.ts'
import { applyTheme, readView } from './view.ts'

document.documentElement.lang = language
applyTheme(readView())
followLinks()
const root = document.getElementById('portal')
if (root) render(<App />, root)
