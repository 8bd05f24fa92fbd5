/** A page of the site as Markdown. */
export interface Page {
  /** The address without the base path, such as `/guides/events`. */
  readonly url: string
  readonly title: string
  readonly markdown: string
  /** The file in the repository that contains the text. Generated pages have none. */
  readonly source?: string
  /** The level of the headings that the outline lists. @default levels 2 and 3 */
  readonly outline?: number
  /** The repository file to which a generated page's links are relative. */
  readonly linkBase?: string
}

/** Returns the path of a page's file in the content folder, such as `guides/events.md`. */
export const fileOf = ({ url }: Pick<Page, 'url'>): string => `${url.endsWith('/') ? `${url.slice(1)}index` : url.slice(1)}.md`

/** Returns the first heading in a Markdown text, without backticks. */
export const titleOf = (markdown: string): string => {
  const title = /^# (.+)$/m.exec(markdown)?.[1]
  if (title === undefined) throw new Error(`A page has no title: ${markdown.slice(0, 80)}`)
  return title.replaceAll('`', '')
}
