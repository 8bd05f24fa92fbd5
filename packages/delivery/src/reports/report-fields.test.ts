import { expect, it } from 'vitest'
import { parseFieldGroups } from './report-fields.ts'

const parse = (...lines: string[]) => parseFieldGroups(lines.join('\r\n')).map((fields) => Object.fromEntries(fields))

it('joins the lines of a folded field, and separates groups at blank lines', () => {
  expect(parse('Action: failed', 'Diagnostic-Code: smtp; 550', '\t5.1.1 unknown user', '', 'Action: delayed')).toEqual([
    { action: 'failed', 'diagnostic-code': 'smtp; 550 5.1.1 unknown user' },
    { action: 'delayed' },
  ])
})

it('skips an invalid line and a repeated field together with their continuations', () => {
  expect(parse('Action: failed', 'no field', ' continued', 'Status: 5.1.1', 'action: relayed', ' continued', 'To: a')).toEqual([
    { action: 'failed', status: '5.1.1', to: 'a' },
  ])
})
