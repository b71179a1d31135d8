# The gateway as an image: docker build --tag assent .
# It runs as the user node, writes nothing but its answers to the store, and works with a read-only file system.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund
RUN npm run build
RUN sh deploy/pack.sh /package

FROM node:22-bookworm-slim
COPY --from=build /package/assent.tgz /package/assent.tgz
COPY --from=build /src/deploy/install.sh /package/install.sh
RUN sh /package/install.sh /package/assent.tgz /opt/assent
COPY deploy/healthy.js /opt/assent/healthy.js
COPY deploy/assent.yaml /etc/assent/assent.yaml
USER node
WORKDIR /tmp
ENV NODE_ENV=production
EXPOSE 4180 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "/opt/assent/healthy.js", "http://127.0.0.1:9464/healthz"]
ENTRYPOINT ["node", "/opt/assent/node_modules/assent/dist/cli/main.js"]
CMD ["gateway", "--config", "/etc/assent/assent.yaml"]
