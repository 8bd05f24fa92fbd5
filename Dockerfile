# Builds the image of the server: `docker build --tag flowpost .`. Both base images are pinned by digest; Dependabot updates
# them. docs/operations.md describes how to run the image.

# The bundle contains no native code, so one build serves every platform.
FROM --platform=$BUILDPLATFORM node:24.21.0-bookworm@sha256:64af3819f9275802414d7cdc38c27e9d82bd564dec4d4da87d008255d36c63b4 AS build
WORKDIR /source
COPY . .
RUN npx --yes pnpm install --frozen-lockfile && npx pnpm bundle /bundle

FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553
LABEL org.opencontainers.image.title="Flowpost" \
  org.opencontainers.image.description="A notification server: one API for email and chat" \
  org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
# The embedded database needs a volume at /data. With DATABASE_URL, the server writes no files.
RUN install --directory --mode=0700 --owner=node --group=node /data
COPY --from=build /bundle ./
ENV NODE_ENV=production HOST=:: PORT=3000 FLOWPOST_DATA_DIR=/data
# The user `node`, as numbers, because Kubernetes cannot verify that a user name is not root.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "bin/flowpost.js"]
