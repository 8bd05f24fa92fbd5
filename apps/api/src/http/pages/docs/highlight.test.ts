import { expect, test } from 'vitest'
import { renderHtml } from '../../../shared/html.ts'
import { highlight, type Language } from './highlight.ts'

/** Returns the tokens of code as `kind:text`. */
const tokensOf = (language: Language, code: string): string[] =>
  [...renderHtml(highlight(language, code)).matchAll(/<span class="code-(\w+)">(.*?)<\/span>/gs)].map(
    ([, kind, text]) => `${kind}:${text?.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<')}`,
  )

test('marks keys and values in JSON', () => {
  expect(tokensOf('json', '{ "a\\"": "b: c", "n": -1.5, "x": null }')).toEqual([
    'key:"a\\""',
    'string:"b: c"',
    'key:"n"',
    'number:-1.5',
    'key:"x"',
    'keyword:null',
  ])
})

test('splits a shell string at its variables', () => {
  expect(tokensOf('bash', `curl "$FLOWPOST_BASE_URL/v1" \\\n  -H "A: $B" \\\n  -H "C: d" \\\n  -d '{"e": "$F"}'`)).toEqual([
    'keyword:curl',
    'string:"',
    'variable:$FLOWPOST_BASE_URL',
    'string:/v1"',
    'key:-H',
    'string:"A: ',
    'variable:$B',
    'string:"',
    'key:-H',
    'string:"C: d"',
    'key:-d',
    `string:'{"e": "$F"}'`,
  ])
})

test('marks comments, strings, keywords and calls in TypeScript', () => {
  expect(tokensOf('typescript', "// it's new\nconst a = await b.get('c', `d`, 2)")).toEqual([
    "comment:// it's new",
    'keyword:const',
    'keyword:await',
    'key:get',
    "string:'c'",
    'string:`d`',
    'number:2',
  ])
})

test('escapes every part of the code', () => {
  for (const language of ['bash', 'json', 'typescript'] as const)
    expect(renderHtml(highlight(language, '<b>"<i>"</b>')).replaceAll(/<span class="code-\w+">|<\/span>/g, '')).not.toMatch(/[<>"]/)
})
