/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Points that are close to each other, as few. A cluster of points is replaced by the nodes of the Gaussian quadrature of
 * its measure (G. Golub, J. Welsch, 1969, by the iteration of C. Lanczos): a few points with positive weights that have
 * the same sums of all polynomials up to twice their number, and whose values have the same sums with those up to their
 * number. A kernel over a stretch as long as its bandwidth is such a polynomial to 1e-10, so sums over these nodes are
 * those over the points. Clusters are made of smaller ones, in a tree.
 */
#include <math.h>
#include <string.h>

#include "kernel-regression.h"

enum { FEW = 500, NODES = 12 };

/* The points [from, to) of different x; where they are many and close together, as nodes. */
struct cluster {
	size_t from, to;
	size_t left, right; /* 0: it has no parts */
	size_t nodes, node_count;
};

struct kernelregression_clusters {
	struct kernelregression_node *points, *nodes, *gathered;
	size_t point_count, node_count, gathered_count;
	struct cluster *clusters;
	size_t cluster_count;
	double widest;
};

/* ---- quadrature ------------------------------------------------------------------------------- */

static double dot(const double *a, const double *b, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += a[i] * b[i];
	return sum;
}

struct lanczos {
	double matrix[NODES][NODES]; /* symmetric, with three diagonals */
	double values[NODES];        /* of the points, in the basis of the iteration */
	double norm;
	size_t steps;
};

static void iterate(const double *x, const struct kernelregression_node *in, size_t count,
		    struct lanczos *lanczos)
{
	double basis[NODES + 1][2 * NODES], values[2 * NODES], length;

	for (size_t i = 0; i < count; i++) {
		basis[0][i] = in[i].root;
		values[i] = in[i].value;
	}
	length = lanczos->norm = sqrt(dot(basis[0], basis[0], count));
	for (size_t j = 0;; j++) {
		double *next = basis[j + 1];

		for (size_t i = 0; i < count; i++)
			basis[j][i] /= length;
		lanczos->values[j] = dot(basis[j], values, count);
		lanczos->steps = j + 1;
		for (size_t i = 0; i < count; i++)
			next[i] = x[i] * basis[j][i];
		lanczos->matrix[j][j] = dot(next, basis[j], count);
		if (j + 1 == NODES)
			return;
		/* Twice, against what rounding leaves. */
		for (size_t k = 0; k < 2 * (j + 1); k++) {
			double share = dot(next, basis[k % (j + 1)], count);

			for (size_t i = 0; i < count; i++)
				next[i] -= share * basis[k % (j + 1)][i];
		}
		length = sqrt(dot(next, next, count));
		if (!(length > 1e-12))
			return;
		lanczos->matrix[j][j + 1] = lanczos->matrix[j + 1][j] = length;
	}
}

/* One rotation of C. Jacobi (1846), after which a[p][q] is 0. */
static void rotate_away(double a[NODES][NODES], double v[NODES][NODES], size_t n, size_t p,
			size_t q)
{
	double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
	double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
	double c = 1 / sqrt(t * t + 1), s = t * c;

	for (size_t i = 0; i < n; i++) {
		double first = a[i][p], second = a[i][q];

		a[i][p] = c * first - s * second;
		a[i][q] = s * first + c * second;
		first = v[i][p];
		second = v[i][q];
		v[i][p] = c * first - s * second;
		v[i][q] = s * first + c * second;
	}
	for (size_t i = 0; i < n; i++) {
		double first = a[p][i], second = a[q][i];

		a[p][i] = c * first - s * second;
		a[q][i] = s * first + c * second;
	}
}

/* Makes the matrix diagonal; vectors are columns. */
static void diagonalize(double a[NODES][NODES], double v[NODES][NODES], size_t n)
{
	bool rotated = true;

	memset(v, 0, sizeof(double[NODES][NODES]));
	for (size_t i = 0; i < n; i++)
		v[i][i] = 1;
	for (int sweep = 0; rotated && sweep < 30; sweep++) {
		rotated = false;
		for (size_t p = 0; p < n; p++) {
			for (size_t q = p + 1; q < n; q++) {
				if (fabs(a[p][q]) > 1e-17) {
					rotate_away(a, v, n, p, q);
					rotated = true;
				}
			}
		}
	}
}

/* Nodes for up to 2 * NODES points between two places; how many. */
static size_t find_nodes(const struct kernelregression_node *in, size_t count, double low,
			 double high, struct kernelregression_node *out)
{
	double x[2 * NODES], vectors[NODES][NODES], center = low + (high - low) / 2;
	struct lanczos lanczos = {0};

	for (size_t i = 0; i < count; i++)
		x[i] = (in[i].x - center) / (high - low);
	iterate(x, in, count, &lanczos);
	diagonalize(lanczos.matrix, vectors, lanczos.steps);
	for (size_t k = 0; k < lanczos.steps; k++) {
		double sign = vectors[0][k] < 0 ? -1 : 1;

		out[k] =
			(struct kernelregression_node){center + (high - low) * lanczos.matrix[k][k],
						       lanczos.norm * fabs(vectors[0][k]), 0};
		for (size_t j = 0; j < lanczos.steps; j++)
			out[k].value += sign * lanczos.values[j] * vectors[j][k];
	}
	return lanczos.steps;
}

/* ---- the tree --------------------------------------------------------------------------------- */

/* Of a part: its nodes or its points. */
static size_t take_part(const struct kernelregression_clusters *clusters, size_t part,
			struct kernelregression_node *into)
{
	const struct cluster *cluster = &clusters->clusters[part];
	size_t count = cluster->node_count ? cluster->node_count : cluster->to - cluster->from;

	memcpy(into,
	       cluster->node_count ? clusters->nodes + cluster->nodes
				   : clusters->points + cluster->from,
	       count * sizeof *into);
	return count;
}

static size_t make_cluster(struct kernelregression_clusters *clusters, size_t from, size_t to)
{
	double low = clusters->points[from].x, high = clusters->points[to - 1].x;
	struct cluster cluster = {from, to, 0, 0, 0, 0};
	size_t at = clusters->cluster_count++, count;
	struct kernelregression_node parts[2 * NODES];

	if (to - from > NODES) {
		cluster.left = make_cluster(clusters, from, from + (to - from) / 2);
		cluster.right = make_cluster(clusters, from + (to - from) / 2, to);
		if (high - low <= clusters->widest) {
			count = take_part(clusters, cluster.left, parts);
			count += take_part(clusters, cluster.right, parts + count);
			cluster.nodes = clusters->node_count;
			cluster.node_count = find_nodes(parts, count, low, high,
							clusters->nodes + cluster.nodes);
			clusters->node_count += cluster.node_count;
		}
	}
	clusters->clusters[at] = cluster;
	return at;
}

struct kernelregression_clusters *
kernelregression_clusters_new(const struct kernelregression_points *points, double bandwidth)
{
	struct kernelregression_clusters *clusters = perun_alloc_zero(1, sizeof *clusters);
	size_t count = 0;

	clusters->points = perun_alloc((points->count + 1) * sizeof *clusters->points);
	clusters->widest = fabs(bandwidth);
	/* Few points are added up one by one, in their order. */
	if (points->count <= FEW) {
		for (; count < points->count; count++)
			clusters->points[count] = (struct kernelregression_node){
				points->x[count], 1, points->y[count]};
		clusters->point_count = count;
		return clusters;
	}
	for (size_t i = 0; i < points->count; i++) {
		if (!count || clusters->points[count - 1].x != points->x[i])
			clusters->points[count++] =
				(struct kernelregression_node){points->x[i], 0, 0};
		clusters->points[count - 1].root++;
		clusters->points[count - 1].value += points->y[i];
	}
	for (size_t i = 0; i < count; i++) {
		clusters->points[i].root = sqrt(clusters->points[i].root);
		clusters->points[i].value /= clusters->points[i].root;
	}
	clusters->point_count = count;
	/* A part has more than NODES / 2 points, and there are fewer clusters of parts than parts. */
	clusters->clusters =
		perun_alloc((count / (NODES / 2) + 1) * 2 * sizeof *clusters->clusters);
	clusters->nodes = perun_alloc((count / (NODES / 2) + 1) * NODES * sizeof *clusters->nodes);
	clusters->gathered = perun_alloc((count + 1) * sizeof *clusters->gathered);
	make_cluster(clusters, 0, count);
	return clusters;
}

void kernelregression_clusters_free(struct kernelregression_clusters *clusters)
{
	perun_free(clusters->points);
	perun_free(clusters->nodes);
	perun_free(clusters->gathered);
	perun_free(clusters->clusters);
	perun_free(clusters);
}

/* ---- gathering -------------------------------------------------------------------------------- */

static void gather(struct kernelregression_clusters *clusters,
		   const struct kernelregression_node *nodes, size_t count)
{
	memcpy(clusters->gathered + clusters->gathered_count, nodes, count * sizeof *nodes);
	clusters->gathered_count += count;
}

/* Whether an edge of the kernel lies within, or as close as rounding may put it. */
static bool has_edge(double place, double low, double high, double reach)
{
	return low <= place + reach * 1e-9 && place - reach * 1e-9 <= high;
}

static void gather_cluster(struct kernelregression_clusters *clusters, size_t at, double x,
			   double reach, bool has_edges)
{
	const struct cluster *cluster = &clusters->clusters[at];
	double low = clusters->points[cluster->from].x, high = clusters->points[cluster->to - 1].x;
	bool edged = has_edges &&
		     (has_edge(x - reach, low, high, reach) || has_edge(x, low, high, reach) ||
		      has_edge(x + reach, low, high, reach));

	if (!edged && (high < x - reach || low > x + reach))
		return;
	if (cluster->node_count && !edged) {
		gather(clusters, clusters->nodes + cluster->nodes, cluster->node_count);
	} else if (cluster->left) {
		gather_cluster(clusters, cluster->left, x, reach, has_edges);
		gather_cluster(clusters, clusters->clusters[at].right, x, reach, has_edges);
	} else {
		gather(clusters, clusters->points + cluster->from, cluster->to - cluster->from);
	}
}

const struct kernelregression_node *
kernelregression_gather(struct kernelregression_clusters *clusters, double x, double reach,
			bool has_edges, size_t *count)
{
	if (!clusters->cluster_count) {
		*count = clusters->point_count;
		return clusters->points;
	}
	clusters->gathered_count = 0;
	gather_cluster(clusters, 0, x, reach, has_edges);
	*count = clusters->gathered_count;
	return clusters->gathered;
}
