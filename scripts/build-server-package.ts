// Builds `dist` of `@flowpost/server`: runs as the build script of that package.
import { resolve } from 'node:path'
import { bundleServerPackage } from './bundle/server-bundle.ts'

await bundleServerPackage(resolve('dist'))
