// VitePress's theme without its web fonts. It uses the system's fonts, which need no download.
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import { NotFound } from './not-found.ts'
import './style.css'

export default { ...DefaultTheme, Layout: () => h(DefaultTheme.Layout, null, { 'not-found': () => h(NotFound) }) }
