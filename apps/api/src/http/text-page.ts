/** A page of plain text that anybody may read. */
export interface TextPage {
  readonly path: string
  answer(): Promise<{ readonly status: number; readonly type: string; readonly text: string }>
}
