import { expect, it } from 'vitest'
import { readmePictures } from './readme-pictures.ts'
import { readRepositoryFile } from './repository.ts'

it.each([...readmePictures()])('%s is up to date, and the README shows it', (path, svg) => {
  expect(readRepositoryFile(path)).toBe(svg)
  expect(readRepositoryFile('README.md')).toContain(path)
})

it('the README has fewer than 120 lines', () => {
  expect(readRepositoryFile('README.md').split('\n').length).toBeLessThan(120)
})
