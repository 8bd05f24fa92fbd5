import { withBase } from 'vitepress'
import { h } from 'vue'

/** The page for addresses that do not exist. */
export const NotFound = () =>
  h('main', { class: 'home vp-doc' }, [
    h('h1', 'Page not found'),
    h('p', { class: 'lead' }, 'There is no page at this address. The search finds pages by their text, including problem codes.'),
    h('p', { class: 'actions' }, [
      h('a', { href: withBase('/get-started') }, 'Get started'),
      h('a', { href: withBase('/reference/problems') }, 'Problem codes'),
      h('a', { href: withBase('/reference/api/') }, 'API reference'),
    ]),
  ])
